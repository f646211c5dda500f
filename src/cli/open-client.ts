import type { connect, Client } from '../api/client.js';
import { ensureDaemon, type StartedDaemon } from '../api/ensure-daemon.js';
import type { Failure } from '../domain/failure.js';
import { failed, success, type Result } from '../domain/result.js';
import type { Snapshot } from '../domain/task-view.js';
import type { CommandContext } from './command-context.js';
import { replaceOlderDaemon, type Replacing } from './replace-older-daemon.js';

export type ClientParts = {
  readonly socketPath: string;
  readonly connect: typeof connect;
  readonly spawn: () => Promise<Result<StartedDaemon>>;
  readonly readHome: () => Promise<Result<Snapshot>>;
  readonly onStarting: () => void;
  /** A daemon lives and says nothing; it may come to, or be replaced, while a command waits. */
  readonly onSilent: (pid: number) => void;
  /** The living process that has the home, if there is one. */
  readonly holderPid: () => Promise<number | null>;
  /** Null for an agent: whoever replaces a daemon must be a person. */
  readonly replacing: Replacing | null;
};

export type Clients = Pick<CommandContext, 'client' | 'runningClient' | 'snapshot'> & {
  /** Ends every conversation, so that the process can end. */
  close(): void;
};

/** One conversation with the daemon per command, opened when first needed. */
export function openClients(parts: ClientParts): Clients {
  const opened = new Set<Client>();
  let current: Client | null = null;

  const keep = (client: Client): Client => {
    const watched = noticeEnd(client, () => {
      if (current === watched) current = null;
    });
    current = watched;
    return watched;
  };
  const dial = async (): Promise<Result<Client>> => {
    const { socketPath } = parts;
    const dialled = await parts.connect({ socketPath, timeoutMs: GREETING_LIMIT_MS });
    if (dialled.ok) opened.add(dialled.value);
    return dialled;
  };

  const client = async (): Promise<Result<Client>> => {
    const first = current === null ? await dial() : success(current);
    const replaced = await replaceOlderDaemon(first, parts.replacing);
    if (!replaced.ok) return replaced;
    if (replaced.value === 'ended') current = null;
    if (current !== null) return success(current);
    let known = replaced.value === 'kept' ? first : null;
    const spawn = () => start(parts, replaced.value === 'kept' ? first : null);
    const connectAgain = async (): Promise<Result<Client>> => {
      const contact = known ?? (await dial());
      known = null;
      return contact;
    };
    const ensured = await ensureDaemon({ connect: connectAgain, spawn });
    return ensured.ok ? success(keep(ensured.value)) : blameSilent(parts, ensured.failure);
  };

  const runningClient = async (): Promise<Result<Client | null>> => {
    if (current !== null) return success(current);
    const dialled = await dial();
    if (dialled.ok) return success(keep(dialled.value));
    return dialled.failure.kind === 'daemon-unreachable' ? success(null) : dialled;
  };

  // A daemon that does not answer, or not in our words, must not keep anybody from reading.
  const snapshot = async (): Promise<Result<Snapshot>> => {
    const running = await runningClient();
    // A daemon of another version runs, though.
    if (!running.ok) return parts.readHome();
    if (running.value === null) return readUnsupervised(parts);
    const answer = await running.value.call(
      { method: 'snapshot' },
      { timeoutMs: SNAPSHOT_LIMIT_MS },
    );
    return answer.ok ? answer : readUnsupervised(parts);
  };

  return {
    client,
    runningClient,
    snapshot,
    close: () => {
      for (const conversation of opened) conversation.close();
    },
  };
}

/** The same conversation; `onEnd` is told when an answer shows that it is over. */
function noticeEnd(client: Client, onEnd: () => void): Client {
  const notice = <T>(answer: Result<T>): Result<T> => {
    if (!answer.ok && answer.failure.kind === 'daemon-unreachable') onEnd();
    return answer;
  };
  return {
    greeting: client.greeting,
    call: async (call, options) => {
      const answer = notice(await client.call(call, options));
      if (call.method === 'stop') onEnd();
      return answer;
    },
    subscribe: async (onChange, onClosed) =>
      notice(
        await client.subscribe(onChange, (failure) => {
          onEnd();
          onClosed(failure);
        }),
      ),
    close: () => client.close(),
  };
}

async function readUnsupervised({ readHome }: ClientParts): Promise<Result<Snapshot>> {
  const home = await readHome();
  return home.ok ? success({ ...home.value, isUnsupervised: true }) : home;
}

async function start(
  { holderPid, onStarting, onSilent, spawn }: ClientParts,
  contact: Result<Client> | null,
): Promise<Result<StartedDaemon>> {
  const isSilent = contact !== null && !contact.ok && isUnheard(contact.failure);
  const pid = isSilent ? await holderPid() : null;
  if (pid === null) onStarting();
  else onSilent(pid);
  return spawn();
}

/** Why nobody could be reached; a daemon that lives is no longer to be started. */
async function blameSilent({ holderPid }: ClientParts, failure: Failure): Promise<Result<never>> {
  if (failure.kind !== 'daemon-unreachable') return failed(failure);
  const pid = await holderPid();
  return failed(pid === null ? failure : { ...failure, pid });
}

/** Whether somebody let us in and then said nothing. */
function isUnheard(failure: Failure): boolean {
  return failure.kind === 'daemon-unreachable' && failure.reason === 'no-greeting-in-time';
}

const GREETING_LIMIT_MS = 2000;
const SNAPSHOT_LIMIT_MS = 10_000;
