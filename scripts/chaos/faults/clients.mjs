import { createConnection } from 'node:net';
import { randomBytes } from 'node:crypto';
import { actAtRandom } from '../actions.mjs';
import { connect } from '../client.mjs';
import { pause } from '../wait.mjs';
import { readNothing } from './slow-readers.mjs';

const group = 'clients of the socket';
const CALLS = 200;

export const CLIENT_FAULTS = [
  {
    name: 'garbage on the socket',
    group,
    strike: async (course) => {
      const pieces = [
        randomBytes(4096),
        'not json\n',
        '{"id":1,"call":{"method":"submit"}}\n',
        '{"id":1,"call":{"method":"status"}}',
        '[1,2,3]\n{"id":"x"}\n',
        `{"id":1,"call":"${'x'.repeat(2 * 1024 * 1024)}"}\n`,
        '\n'.repeat(10_000),
        '{"id":1,"call":{"method":"submit","actor":"daemon","request":{"kind":"task.delete"}}}\n',
      ];
      const thrown = pieces.map((piece) => throwAtSocket(course.place.socket, piece));
      const acting = actAtRandom(course);
      await pause(400);
      const wasHeard = thrown.every(({ wasConnected }) => wasConnected);
      for (const { socket } of thrown) socket.destroy();
      await acting;
      return wasHeard;
    },
  },
  {
    name: 'slow clients on the socket',
    group,
    strike: (course) =>
      readNothing(course, async () => {
        for (let step = 0; step < 3; step += 1) await actAtRandom(course);
      }),
  },
  {
    name: 'clients that leave at once',
    group,
    strike: async (course) => {
      let left = 0;
      for (let step = 0; step < 5; step += 1) {
        const client = await connect(course.place.socket);
        const [task] = course.random.shuffle(course.living);
        if (client === null || task === undefined) continue;
        void client.submit({ kind: 'task.respawn', taskId: task.id });
        await pause(course.random.below(20));
        client.close();
        left += 1;
      }
      return left > 0;
    },
  },
  {
    name: `${CALLS} calls at once`,
    group,
    strike: async (course) => {
      const taskId = await course.taskIn(['reviewing', 'working', 'stuck']);
      const clients = await Promise.all(
        Array.from({ length: CALLS }, () => connect(course.place.socket, 20_000)),
      );
      const answers = await Promise.all(
        clients.map((client, index) => {
          const update = { kind: 'task.update', taskId, summary: `Call ${index}` };
          if (client === null) return { cut: true };
          return index % 4 === 0
            ? submitUpdate(course, client, update)
            : client.call({ method: 'snapshot' });
        }),
      );
      for (const client of clients) client?.close();
      const lost = answers.filter(
        ({ result, failure }) => result === undefined && failure === undefined,
      );
      if (lost.length > 0) course.complain(`F28 ${lost.length} of ${CALLS} calls got no answer`);
      return taskId !== null && clients.some((client) => client !== null);
    },
  },
];

async function submitUpdate(course, client, update) {
  const onAnswer = course.proposeSummary(update.taskId, update.summary);
  const answer = await client.submit(update);
  onAnswer(answer);
  return answer;
}

function throwAtSocket(path, bytes) {
  const socket = createConnection({ path });
  const thrown = { socket, wasConnected: false };
  socket.on('connect', () => {
    thrown.wasConnected = true;
  });
  socket.on('error', () => undefined);
  socket.write(bytes);
  return thrown;
}
