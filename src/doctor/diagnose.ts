import type { Finding } from '../domain/finding.js';
import { findOrphanProcesses } from './orphan-processes.js';
import { findPoolDamage } from './pool-damage.js';
import { findStraySessions } from './stray-sessions.js';
import type { Survey } from './survey.js';

/** What is out of place in a home, told from one survey of it. */
export function diagnose(survey: Survey): readonly Finding[] {
  return [...findOrphanProcesses(survey), ...findStraySessions(survey), ...findPoolDamage(survey)];
}
