import { PULL_REQUEST_FEEDBACK, type Settings } from '../domain/settings.js';
import { decimal, oneOf, type SettingsReader } from './settings-reader.js';

/** Reads the `pr` map over a base. */
export function readPullRequests(
  reader: SettingsReader,
  node: unknown,
  base: Settings['pr'],
): Settings['pr'] {
  const section = reader.section(node, 'pr', ['feedback', 'poll_minutes']);
  return {
    feedback: section.read('feedback', oneOf(PULL_REQUEST_FEEDBACK), base.feedback),
    pollMinutes: section.read('poll_minutes', decimal(0), base.pollMinutes),
  };
}
