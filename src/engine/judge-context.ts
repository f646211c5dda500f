import type { RuntimeEdit, SectionEdit } from '../domain/decision.js';
import type { EventDraft } from '../domain/history-event.js';
import { keptWordsName } from '../domain/kept-words.js';
import type { Claims, TaskState } from '../domain/world.js';
import type { Writer } from './claims-origin.js';
import { findRefused, type Refusal } from './tell-refusals.js';

type JudgedContext = {
  readonly sections: readonly SectionEdit[];
  readonly rejections: readonly EventDraft[];
  /** What tells a person where the words are that did not stay. */
  readonly kept: readonly EventDraft[];
  readonly runtime: RuntimeEdit;
  readonly refusal: Refusal | null;
};

/**
 * The Context is the user's: while an agent is around it is put back as the record has it. What it
 * said is kept for a person to look at, once for each text.
 */
export function judgeContext(
  task: TaskState,
  claims: Claims,
  { writer, timestamp }: { readonly writer: Writer; readonly timestamp: string },
): JudgedContext {
  if (claims.context === task.context || writer === 'user') {
    const runtime = { context: claims.context };
    return { sections: [], rejections: [], kept: [], runtime, refusal: null };
  }
  const cause = `Context ${claims.context ?? ''}`;
  const known = findRefused(task, cause);
  const stem = writer === 'nobody' ? `of-${claims.fields.id}` : 'context-refused';
  const words = newLines(task.context, claims.context);
  const fresh = known !== null || words.length === 0 ? null : keptWordsName(stem, timestamp);
  const transcript = known?.transcript ?? fresh;
  const reason = '## Context is read-only for agents';
  const headings = words.filter((line) => MISTAKEN_HEADING.test(line));
  const refusal = { kind: 'context', cause, context: { transcript, headings } } as const;
  return {
    sections: [putBack(task.context, fresh, timestamp)],
    rejections: [{ type: 'context.restored', reason, ...naming(transcript) }],
    kept: fresh === null ? [] : [{ type: 'edit.kept', ...naming(fresh), sections: ['Context'] }],
    runtime: {
      context: task.context,
      ...(fresh === null ? {} : { keptEdit: fresh, keptEditSince: timestamp }),
    },
    refusal: writer === 'nobody' ? null : refusal,
  };
}

function putBack(context: string | null, transcript: string | null, at: string): SectionEdit {
  if (context === null) {
    const name = transcript ?? keptWordsName('context-refused', at);
    return { kind: 'move-out', section: 'Context', transcript: name };
  }
  return { kind: 'set', section: 'Context', text: context, ...naming(transcript) };
}

function naming(transcript: string | null) {
  return transcript === null ? {} : { transcript };
}

/** A heading of another level does not begin a section: what follows it is part of the Context. */
const MISTAKEN_HEADING = /^(?!## )#{1,6}[ \t]*(?:Plan|Handoff|Review|Questions)[ \t:]*$/i;

/** What an edit says that the record does not; nothing is lost with what was left out. */
function newLines(context: string | null, claimed: string | null): readonly string[] {
  const known = new Set(linesOf(context));
  return linesOf(claimed).filter((line) => line !== '' && !known.has(line));
}

function linesOf(text: string | null): readonly string[] {
  return (text ?? '').split('\n').map((line) => line.trim());
}
