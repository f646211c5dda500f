export const TASK_ID_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
export const TASK_ID_LENGTH = 21;

/** Whether a text can be a task's id: safe as an argument and as a directory name. */
export function isTaskId(value: string): boolean {
  return /^[0-9A-Za-z]{1,64}$/.test(value);
}

/** Whether a text can name a project: one path segment that no tool reads as an option. */
export function isProjectName(value: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/.test(value) && !value.includes('..');
}
