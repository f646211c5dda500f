import type { Client } from '../api/client.js';
import type { Finding, MendOrder, MendReport } from '../domain/finding.js';
import type { Actor } from '../domain/request.js';
import type { Result } from '../domain/result.js';

/** Finds what is out of place in the home, and mends it. */
export type HomeDoctor = {
  diagnose(): Promise<Result<readonly Finding[]>>;
  mend(order: MendOrder): Promise<Result<MendReport>>;
};

/** Asks the daemon, which is the only writer while it runs; without one, sees to it here. */
export function createHomeDoctor(parts: {
  readonly actor: Actor;
  readonly runningClient: () => Promise<Result<Client | null>>;
  /** For what changes something: a daemon of an older version has given way to this one. */
  readonly client: () => Promise<Result<Client>>;
  readonly openOffline: () => Promise<HomeDoctor>;
}): HomeDoctor {
  return {
    diagnose: async () => {
      const running = await parts.runningClient();
      const client = running.ok ? running.value : null;
      const answer = await client?.call({ method: 'doctor' }, { timeoutMs: LOOK_LIMIT_MS });
      // Looking must be possible beside a daemon that does not answer, or not in our words.
      if (answer?.ok === true) return answer;
      return (await parts.openOffline()).diagnose();
    },
    mend: async (order) => {
      const running = await parts.runningClient();
      const { actor } = parts;
      if (running.ok && running.value === null) return (await parts.openOffline()).mend(order);
      const client = await parts.client();
      return client.ok ? client.value.call({ method: 'mend', order, actor }) : client;
    },
  };
}

const LOOK_LIMIT_MS = 30_000;
