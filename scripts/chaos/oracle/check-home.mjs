import { checkAcknowledged, checkSummaries } from './check-acknowledged.mjs';
import { checkBounds } from './check-bounds.mjs';
import { checkForeign } from './check-foreign.mjs';
import { checkFreeWorktrees } from './check-free-worktrees.mjs';
import { checkHistory } from './check-history.mjs';
import { checkLog } from './check-log.mjs';
import { checkMerges } from './check-merges.mjs';
import { checkModes } from './check-modes.mjs';
import { checkPool } from './check-pool.mjs';
import { checkAgentPlaces, checkSingleAgents, listAgents } from './check-processes.mjs';
import { checkSecrets } from './check-secrets.mjs';
import { checkTerminal } from './check-terminal.mjs';
import { checkWork } from './check-work.mjs';
import { readHome } from './read-home.mjs';

/**
 * Looks at a home at rest from outside and gives every broken invariant. `aside` are worktrees that
 * orange has set aside.
 */
export async function checkHome(place, { ledger, daemonPid }) {
  const home = readHome(place.home);
  const agents = listAgents(place.home);
  const pool = await checkPool(place, home);
  return {
    aside: pool.aside,
    problems: [
      ...checkAcknowledged(ledger, home.tasks),
      ...checkSummaries(ledger, home.tasks),
      ...home.tasks.flatMap(checkHistory),
      ...checkSingleAgents(agents),
      ...checkAgentPlaces(place.home, home.tasks, agents),
      ...pool.problems,
      ...(await checkFreeWorktrees(place, home, agents)),
      ...(await checkTerminal(place, agents)),
      ...(await checkMerges(place, home.tasks)),
      ...(await checkWork(place)),
      ...home.problems,
      ...(await checkForeign(place)),
      ...(await checkSecrets(place)),
      ...checkModes(place),
      ...(await checkBounds(place, daemonPid)),
      ...checkLog(place),
    ],
  };
}
