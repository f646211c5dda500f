import { join } from 'node:path';
import { connect } from '../chaos/client.mjs';
import { makeBenchHome } from '../lib/bench-home.mjs';
import { inMs } from '../lib/bench-rows.mjs';
import { startBareDaemon } from '../lib/start-bare-daemon.mjs';
import { quantile } from '../lib/statistics.mjs';

const REQUESTS = 500;

/** How many of many requests that come at the same moment are answered, and when. */
export async function measure({ isQuick }) {
  const place = await makeBenchHome(isQuick ? 100 : 2_000, { doneShare: 0.9 });
  const daemon = await startBareDaemon(place);
  try {
    const socket = join(place.home, 'run', 'daemon.sock');
    return [
      await rowOf(`${REQUESTS} status requests at once, one connection each`, () =>
        Promise.all(Array.from({ length: REQUESTS }, () => askOnce(socket))),
      ),
      await rowOf(`${REQUESTS} status requests at once on one connection`, () =>
        askTogether(socket),
      ),
    ];
  } finally {
    await daemon.end();
    place.remove();
  }
}

async function askOnce(socket) {
  const start = performance.now();
  const client = await connect(socket, 30_000);
  const answer = await client?.call({ method: 'status' }, 30_000);
  client?.close();
  return { tookMs: performance.now() - start, isAnswered: answer?.result?.running === true };
}

async function askTogether(socket) {
  const client = await connect(socket, 30_000);
  const start = performance.now();
  const answers = await Promise.all(
    Array.from({ length: REQUESTS }, async () => {
      const answer = await client.call({ method: 'status' }, 30_000);
      const isAnswered = answer.result?.running === true;
      return { tookMs: performance.now() - start, isAnswered };
    }),
  );
  client.close();
  return answers;
}

async function rowOf(what, ask) {
  const start = performance.now();
  const answers = await ask();
  const took = performance.now() - start;
  const answered = answers.filter(({ isAnswered }) => isAnswered).length;
  const times = answers.map(({ tookMs }) => tookMs);
  return {
    what,
    figure: `${answered} answered in ${inMs(took)}`,
    compared: `p50 ${inMs(quantile(times, 0.5))}, p99 ${inMs(quantile(times, 0.99))}`,
    limit: 'all answered',
    isMet: answered === REQUESTS,
  };
}
