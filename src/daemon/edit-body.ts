import type { SectionEdit } from '../domain/decision.js';
import { formatItem } from '../record/questions.js';
import { appendToSection, removeSection, setSection } from '../record/sections.js';

export type EditedBody = {
  readonly body: string;
  /** What was taken out, by the names under which it is to be kept. */
  readonly transcripts: Transcripts;
};

type Transcripts = readonly { readonly name: string; readonly text: string }[];

/**
 * A body with the sections edited; every other byte stays. What is taken out and is not there any
 * more, because orange's earlier edits were made to the body again, is kept as it was found.
 */
export function editBody(body: string, edits: readonly SectionEdit[], found = body): EditedBody {
  return edits.reduce<EditedBody>((sofar, edit) => editSection(sofar, edit, found), {
    body,
    transcripts: [],
  });
}

function editSection(
  { body, transcripts }: EditedBody,
  edit: SectionEdit,
  found: string,
): EditedBody {
  switch (edit.kind) {
    case 'set': {
      const words =
        edit.transcript === undefined ? null : removeSection(found, edit.section).removed;
      const kept = words === null ? transcripts : keep(transcripts, edit.transcript ?? '', words);
      return { body: setSection(body, edit.section, edit.text), transcripts: kept };
    }
    case 'append': {
      const item = formatItem(edit.label, edit.text);
      return { body: appendToSection(body, edit.section, item), transcripts };
    }
    case 'move-out': {
      const { body: rest, removed } = removeSection(body, edit.section);
      const words = removed ?? removeSection(found, edit.section).removed;
      if (words === null) return { body, transcripts };
      return { body: rest, transcripts: keep(transcripts, edit.transcript, words) };
    }
  }
}

/** Sections that are kept under one name are kept together. */
function keep(transcripts: Transcripts, name: string, text: string): Transcripts {
  const before = transcripts.find((each) => each.name === name);
  const others = transcripts.filter((each) => each !== before);
  return [...others, { name, text: `${before?.text ?? ''}${text}` }];
}
