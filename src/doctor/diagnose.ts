import type { Finding } from '../domain/finding.js';
import { findGitLocks } from './git-locks.js';
import { findIdleTasks } from './idle-tasks.js';
import { findLitter } from './litter.js';
import { describeLostRecords } from './lost-records.js';
import { findMisplacedWorktrees } from './misplaced-worktrees.js';
import { findOrphanProcesses } from './orphan-processes.js';
import { findPoolDamage } from './pool-damage.js';
import { findRecordDamage } from './record-damage.js';
import { findStraySessions } from './stray-sessions.js';
import type { Survey } from './survey.js';
import { findTerminalTrouble } from './terminal-trouble.js';

/** What is out of place in a home, told from one survey of it. */
export function diagnose(survey: Survey): readonly Finding[] {
  return [
    ...findTerminalTrouble(survey),
    ...findOrphanProcesses(survey),
    ...findStraySessions(survey),
    ...describeLostRecords(survey),
    ...findIdleTasks(survey),
    ...findMisplacedWorktrees(survey),
    ...findGitLocks(survey),
    ...findPoolDamage(survey),
    ...findRecordDamage(survey),
    ...findLitter(survey),
  ];
}
