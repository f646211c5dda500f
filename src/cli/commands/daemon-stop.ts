import type { Command } from 'commander';
import type { Failure } from '../../domain/failure.js';
import { failed, success, type Result } from '../../domain/result.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { ANSWER_LIMIT_MS, endSilently, waitUntilGone } from '../end-daemon.js';
import { withJson, type JsonOption } from '../options.js';

export function addDaemonStopCommand(parent: Command, run: Run): void {
  withJson(parent.command('stop'))
    .description('stop the daemon; agents keep running. Returns once it is gone')
    .action((options: JsonOption) => run(options, stopDaemon));
}

export async function stopDaemon(context: CommandContext): Promise<Ending> {
  const stopped = await endDaemon(context);
  if (!stopped.ok) return stopped;
  context.output.result({ running: false, was_running: stopped.value }, () =>
    stopped.value ? 'The daemon has stopped; agents keep running.' : 'The daemon was not running.',
  );
  return ENDED_WELL;
}

/** Stops the daemon and waits until it is gone. False: there was none. */
export async function endDaemon(context: CommandContext): Promise<Result<boolean>> {
  if (context.actor === 'agent') {
    return failed({ kind: 'not-for-agents', action: 'stop the daemon of' });
  }
  const client = await context.runningClient();
  if (!client.ok) return endForeignDaemon(context, client.failure);
  if (client.value === null) return endHungDaemons(context);
  const answer = await client.value.call({ method: 'stop' }, { timeoutMs: ANSWER_LIMIT_MS });
  if (!answer.ok && answer.failure.kind === 'waited-too-long') return endHungDaemons(context);
  // A daemon that ends before its answer is out has done what was asked.
  if (!answer.ok && answer.failure.kind !== 'daemon-unreachable') return answer;
  const gone = await waitUntilGone(context, client.value.greeting.pid);
  return gone.ok ? success(true) : endHungDaemons(context);
}

/** Ends the daemon that has the home and says nothing; also one that its watchdog put in its place. */
async function endHungDaemons(context: CommandContext): Promise<Result<boolean>> {
  let wasThere = false;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const holder = await context.daemonHolder();
    if (holder === null) break;
    wasThere = true;
    context.output.note(
      `The daemon (pid ${holder.pid}) does not answer; it is ended by signal. Agents keep running.`,
    );
    const ended = await endSilently(context, holder);
    if (!ended.ok) return ended;
  }
  return success(wasThere);
}

const MAX_ROUNDS = 3;

// A daemon of another version does not know our words, but it knows the signal.
async function endForeignDaemon(
  context: CommandContext,
  failure: Failure,
): Promise<Result<boolean>> {
  if (failure.kind !== 'protocol-mismatch') return failed(failure);
  context.endProcess(failure.pid);
  const gone = await waitUntilGone(context, failure.pid);
  return gone.ok ? success(true) : gone;
}
