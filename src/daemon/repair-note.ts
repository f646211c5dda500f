import { formatEvent, parseHistory } from '../record/history-log.js';

/** The line that tells what was cut off the end of a history, behind the line that was then added. */
export function repairNote(cut: string, added: string): string {
  const timestamp = parseHistory(`${added}\n`).events[0]?.timestamp ?? '';
  return formatEvent({ type: 'history.repaired', cut: cut.slice(0, 200) }, timestamp);
}
