import type { Failure } from './failure.js';

/** What went wrong in words, and what to do about it. */
export type Description = { readonly message: string; readonly hint: string | null };

export type FailureKind = Failure['kind'];
export type FailureOf<K extends FailureKind> = Extract<Failure, { readonly kind: K }>;

/** One sentence-maker per kind; the compiler refuses a table that forgets one of its kinds. */
export type Descriptions<K extends FailureKind> = {
  readonly [Kind in K]: (failure: FailureOf<Kind>) => Description;
};
