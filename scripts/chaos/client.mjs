import { createConnection } from 'node:net';

/** One conversation with a daemon, written from the protocol's description and not from its code. */
export class Client {
  #socket;
  #open = new Map();
  #lastId = 0;
  #text = '';
  #onPush = () => undefined;
  greeting = null;
  isClosed = false;

  constructor(socket, onGreeting) {
    this.#socket = socket;
    socket.setEncoding('utf8');
    socket.on('data', (text) => this.#take(text, onGreeting));
    socket.on('error', () => undefined);
    socket.on('close', () => this.#end());
  }

  /** The answer: `{ result }`, `{ failure }`, or `{ cut: true }` when the connection or the time ended. */
  call(call, timeoutMs = 30_000) {
    if (this.isClosed) return Promise.resolve({ cut: true });
    return new Promise((resolve) => {
      const id = this.#send(call, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      const timer = setTimeout(() => this.#settle(id, { cut: true, late: true }), timeoutMs);
    });
  }

  #send(call, onAnswer) {
    this.#lastId += 1;
    this.#open.set(this.#lastId, onAnswer);
    this.#socket.write(`${JSON.stringify({ id: this.#lastId, call })}\n`);
    return this.#lastId;
  }

  submit(request, timeoutMs) {
    return this.call({ method: 'submit', request, actor: 'human' }, timeoutMs);
  }

  /** Tells what there is, and from then on what changes, in the order in which it is said. */
  subscribe(onPush) {
    this.#onPush = onPush;
    this.#send({ method: 'subscribe' }, ({ result }) => {
      if (result !== undefined) onPush(result);
    });
  }

  close() {
    this.#socket.destroy();
    this.#end();
  }

  #take(text, onGreeting) {
    this.#text += text;
    const lines = this.#text.split('\n');
    this.#text = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      if (this.greeting === null) {
        this.greeting = message;
        onGreeting(this);
      } else if (message.push !== undefined) this.#onPush(message.push);
      else if (message.progress === undefined) this.#settle(message.id, message);
    }
  }

  #settle(id, answer) {
    const settle = this.#open.get(id);
    this.#open.delete(id);
    settle?.(answer);
  }

  #end() {
    this.isClosed = true;
    for (const id of Array.from(this.#open.keys())) this.#settle(id, { cut: true });
  }
}

/** Opens a conversation, or gives null when nobody greets in time. */
export function connect(path, timeoutMs = 2000) {
  return new Promise((resolve) => {
    const socket = createConnection({ path });
    const timer = setTimeout(() => {
      socket.destroy();
      resolve(null);
    }, timeoutMs);
    const answer = (client) => {
      clearTimeout(timer);
      resolve(client);
    };
    socket.on('error', () => answer(null));
    // oxlint-disable-next-line no-new
    new Client(socket, answer);
  });
}
