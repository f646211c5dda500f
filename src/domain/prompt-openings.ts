/**
 * How the prompts of workers begin. By these words a worker's own conversation is told from those of
 * its helpers, which may quote a prompt but do not begin with it.
 */
export const PROMPT_OPENINGS = {
  begins: 'You are the worker on one task in the project',
  resumes: 'Your session was interrupted and now goes on',
  inFile: 'Your instructions are in the file',
} as const;
