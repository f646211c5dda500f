/** The sections orange reads from a task's body, in their conventional order. */
export const SECTION_NAMES = [
  'Context',
  'Acceptance',
  'Restatement',
  'Questions',
  'Answers',
  'Decision',
  'Plan',
  'Handoff',
  'Review',
] as const;

export type SectionName = (typeof SECTION_NAMES)[number];

/** Section texts without their headings; the first of a name wins. */
export type Sections = Readonly<Partial<Record<SectionName, string>>>;

export type Verdict = 'PASS' | 'FAIL';

export type PlanFields = {
  readonly APPROACH?: string;
  readonly TOUCHING?: string;
  readonly RISKS?: string;
};

export type HandoffFields = {
  readonly DONE?: string;
  readonly REMAINING?: string;
  readonly DECISIONS?: string;
  readonly UNCERTAIN?: string;
};

/** One question of an agent, with the number by which its answer is paired. */
export type Question = {
  readonly number: number;
  readonly text: string;
  readonly isAnswered: boolean;
};

/** A question that nobody has answered. */
export type OpenQuestion = Pick<Question, 'number' | 'text'>;

export function openQuestions(questions: readonly Question[]): readonly OpenQuestion[] {
  const open = questions.filter(({ isAnswered }) => !isAnswered);
  return open.map(({ number, text }) => ({ number, text }));
}

/** What the engine needs to know of a body: gates look at nothing else. */
export type Artifacts = {
  readonly hasValidPlan: boolean;
  readonly hasValidHandoff: boolean;
  readonly verdict: Verdict | null;
  /** Digest of the Plan section's text, or null when there is none. */
  readonly planDigest: string | null;
  /** Digest of the Handoff section's text, or null when there is none. */
  readonly handoffDigest: string | null;
  /** Digest of the Review section's text, or null when there is none. */
  readonly reviewDigest: string | null;
  /** Digest of the Context section's text, or null when there is none. */
  readonly contextDigest: string | null;
  /** What the Questions section asks, in its order, paired with Answers. */
  readonly questions: readonly Question[];
  /** What the Plan says it touches, in its words. */
  readonly touching: readonly string[];
};

export const NO_ARTIFACTS: Artifacts = {
  hasValidPlan: false,
  hasValidHandoff: false,
  verdict: null,
  planDigest: null,
  handoffDigest: null,
  reviewDigest: null,
  contextDigest: null,
  questions: [],
  touching: [],
};
