import { PROMPT_OPENINGS } from '../domain/prompt-openings.js';
import type { Status } from '../domain/status.js';
import {
  FAIL_EXAMPLE,
  HANDOFF_EXAMPLE,
  PASS_EXAMPLE,
  PLAN_EXAMPLE,
  QUESTIONS_EXAMPLE,
} from './section-examples.js';
import { quoted, shellWord } from './quoted-text.js';

/** What a prompt says about the task. */
export type PromptFacts = {
  readonly taskId: string;
  readonly project: string;
  readonly branch: string;
  /** The branch that the work starts from and is compared with. */
  readonly base: string;
  readonly taskFile: string;
  readonly summary: string;
  readonly reviewRound: number;
  readonly status: Status;
  /** Something that happened meanwhile and must be told with the prompt. */
  readonly news: string | null;
};

/** The first words to a worker that begins a conversation, be the task new or already under way. */
export function workerPrompt(facts: PromptFacts): string {
  return paragraphs([
    `${PROMPT_OPENINGS.begins} ${facts.project}. Nobody sits at this terminal: work on your own until the task is handed off.`,
    taskParagraph(facts),
    workplaceParagraph(facts),
    fileRules('the sections Questions, Plan and Handoff'),
    'Others may have worked on this task before you. If there is a Plan, follow it. If there is a Handoff, go on from its REMAINING and keep its DECISIONS. If there is a Review, fix what it found.',
    planParagraph(facts.status),
    '2. Do the work. Run the tests that the project has. Commit everything that belongs to the task on the branch you are on, in commits with clear messages. Do not commit TASK.md, do not switch branches, do not push and do not merge.',
    `3. Hand off. Write or rewrite this section, so that someone who knows nothing of this conversation can go on. Use the fields that apply; at least one must have text after the colon.\n\n${HANDOFF_EXAMPLE}\n\nThen run: orange task update --status agent-review\nAnother agent now reviews your branch. Stay ready: if it finds something, you are told here.`,
    `If you cannot go on without a decision that is not yours to make, do not guess. Ask, one question at a time, with: orange task ask "QUESTION"\nIt writes your question into TASK.md, like this, and tells the user:\n\n${QUESTIONS_EXAMPLE}\n\nYou may also write that section yourself and then run: orange task update --status clarification\nThen stop and wait. You are told the answer here, and it is in the section Answers of TASK.md.`,
    commandsParagraph(),
    ...newsParagraph(facts.news),
  ]);
}

/** The first words to a reviewer. */
export function reviewerPrompt(facts: PromptFacts): string {
  return paragraphs([
    `You review the work of another agent on one task in the project ${facts.project}. This is review round ${facts.reviewRound}. Nobody sits at this terminal: work on your own until the verdict is written.`,
    taskParagraph(facts),
    workplaceParagraph(facts),
    fileRules('the section Review'),
    `Read Context, Plan and Handoff, then the whole change: git diff ${shellWord(facts.base)}...HEAD\nIf the base is only known from the remote: git diff ${shellWord(`origin/${facts.base}`)}...HEAD\nRead the code around the change, and run the tests if there are any.`,
    'Judge whether the branch does what Context asks, is correct, is tested and is complete. Uncommitted changes count as missing. Do not change, add or commit any code: you only judge.',
    `Write your verdict into TASK.md. The first line under the heading is exactly "Verdict: PASS" or "Verdict: FAIL": no bold, no list mark, no other word. After an empty line come your findings, each with file:line and what to do about it. Say FAIL when something must change before a merge; mere taste is no reason.\n\n${PASS_EXAMPLE}\n\nor\n\n${FAIL_EXAMPLE}`,
    'When the section is saved, your work is done.',
    commandsParagraph(),
    ...newsParagraph(facts.news),
  ]);
}

/** The words to a worker whose earlier conversation is taken up again. */
export function resumePrompt(facts: PromptFacts): string {
  return paragraphs([
    `${PROMPT_OPENINGS.resumes}; everything said earlier still holds.`,
    taskParagraph(facts),
    `First see how things stand: read ${facts.taskFile} again, then git status and git log. Then go on where you were: write the Plan if there is none, do the work, commit it on the branch ${facts.branch}, write the Handoff, and run: orange task update --status agent-review`,
    ...newsParagraph(facts.news),
  ]);
}

/** Where a person has sent a task to work without a Plan, nobody waits for one any more. */
function planParagraph(status: Status): string {
  const form = `At least APPROACH or TOUCHING must have text after the colon. TOUCHING lists the files you expect to change.\n\n${PLAN_EXAMPLE}`;
  return status === 'working'
    ? `1. The task is in working already. If TASK.md has a Plan, follow it. If it has none, read Context and the code it concerns, add this section for those who come after you, and go on at once. ${form}`
    : `1. Plan before you write any code. Read Context and the code it concerns, then add this section to TASK.md. ${form}\n\nThen run: orange task update --status working`;
}

function taskParagraph(facts: PromptFacts): string {
  return `The task (${facts.taskId}) in one line, as its author wrote it:\n\n${quoted(facts.summary)}`;
}

function workplaceParagraph(facts: PromptFacts): string {
  return `You are in a git worktree of your own, on the branch ${facts.branch}, which starts from ${facts.base}. The file TASK.md in its root holds everything about the task. It is a link to ${facts.taskFile}, whose path is also in $ORANGE_TASK_FILE. Read all of it first.`;
}

function fileRules(own: string): string {
  return `In TASK.md you may write ${own}, nothing else. Never edit the lines between the two --- at the top. Context is read-only: it says what is wanted, and it is the user's text. Edit the file in place instead of replacing it. A section begins with a heading of level 2 exactly as in the examples below, at the start of a line, outside of any code fence; field names are in capitals, without bold or list marks. Each section appears once: rewrite it rather than adding a second.`;
}

function commandsParagraph(): string {
  return 'The orange commands are requests: if one is refused, its message says why; mend that and ask again. If orange cannot be run here, go on without it: it watches TASK.md and notices a finished section by itself within seconds.';
}

function newsParagraph(news: string | null): readonly string[] {
  return news === null ? [] : [`What has happened meanwhile:\n\n${news}`];
}

function paragraphs(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`;
}
