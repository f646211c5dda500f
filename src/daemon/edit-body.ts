import type { SectionEdit } from '../domain/decision.js';
import { formatItem } from '../record/questions.js';
import { appendToSection, removeSection, setSection } from '../record/sections.js';

export type EditedBody = {
  readonly body: string;
  /** What was taken out, by the names under which it is to be kept. */
  readonly transcripts: Transcripts;
};

type Transcripts = readonly { readonly name: string; readonly text: string }[];

/** A body with the sections edited; every other byte stays. */
export function editBody(body: string, edits: readonly SectionEdit[]): EditedBody {
  return edits.reduce(editSection, { body, transcripts: [] });
}

function editSection({ body, transcripts }: EditedBody, edit: SectionEdit): EditedBody {
  switch (edit.kind) {
    case 'set':
      return { body: setSection(body, edit.section, edit.text), transcripts };
    case 'append': {
      const item = formatItem(edit.label, edit.text);
      return { body: appendToSection(body, edit.section, item), transcripts };
    }
    case 'move-out': {
      const { body: rest, removed } = removeSection(body, edit.section);
      if (removed === null) return { body, transcripts };
      return { body: rest, transcripts: keep(transcripts, edit.transcript, removed) };
    }
  }
}

/** Sections that are kept under one name are kept together. */
function keep(transcripts: Transcripts, name: string, text: string): Transcripts {
  const before = transcripts.find((each) => each.name === name);
  const others = transcripts.filter((each) => each !== before);
  return [...others, { name, text: `${before?.text ?? ''}${text}` }];
}
