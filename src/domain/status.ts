/** The nine statuses of a task. This list is the only definition of status. */
export const STATUSES = [
  'pending',
  'planning',
  'clarification',
  'working',
  'agent-review',
  'reviewing',
  'stuck',
  'done',
  'cancelled',
] as const;

export type Status = (typeof STATUSES)[number];

export function isStatus(value: string): value is Status {
  return (STATUSES as readonly string[]).includes(value);
}

/** Whether nothing may follow this status. */
export function isTerminal(status: Status): boolean {
  return status === 'done' || status === 'cancelled';
}
