import { createConnection } from 'node:net';

const LONGEST_MS = 1000;

/** Whether nobody has bound a socket at a place; what is no socket never was. Unsure is no. */
export async function isUnbound(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ path });
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(LONGEST_MS, () => end(false));
    socket.once('connect', () => end(false));
    socket.once('error', (error) => end('code' in error && error.code === 'ECONNREFUSED'));
  });
}
