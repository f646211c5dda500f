import { Duplex } from 'node:stream';

const FILE = 'file';

export function judgeHistory(readers, text) {
  const all = readers.parseHistory(text);
  if (!all.events.every(isEvent)) return 'an event without type or timestamp';
  const some = readers.parseHistory(text, readers.REPLAYED_TYPES);
  const wanted = all.events.filter(({ type }) => readers.REPLAYED_TYPES.has(type));
  const read = some.events.filter(({ type }) => readers.REPLAYED_TYPES.has(type));
  if (JSON.stringify(read) !== JSON.stringify(wanted)) return 'skimming lost or changed an event';
  readers.replayHistory(all.events);
  readers.fieldsFromHistory({ project: 'shop', id: 'a' }, all.events);
  return null;
}

/** What the daemon does with a history at its start. */
export function readHistory(readers, text) {
  return readers.replayHistory(readers.parseHistory(text, readers.REPLAYED_TYPES).events);
}

function isEvent({ type, timestamp }) {
  return typeof type === 'string' && typeof timestamp === 'string';
}

export function judgePool(readers, text) {
  return judgeRoundTrip(readers.parsePool, readers.formatPool, text);
}

export function judgeProjects(readers, text) {
  return judgeRoundTrip(readers.parseProjects, readers.formatProjects, text);
}

function judgeRoundTrip(parse, format, text) {
  const reading = parse(text, FILE);
  if (!reading.ok)
    return reading.failure.diagnostics.length > 0 ? null : 'refused without a reason';
  const again = parse(format(reading.value), FILE);
  const isSame = again.ok && JSON.stringify(again.value) === JSON.stringify(reading.value);
  return isSame ? null : 'what was written is not what was read';
}

export function judgeSettings(readers, text) {
  const base = readers.DEFAULT_SETTINGS;
  readers.parseSettings(text, FILE, base);
  const { settings } = readers.applyProjectSettings(base, { text, file: FILE }, false);
  return commands(settings) === commands(base) ? null : 'an untrusted file names a command';
}

export function readSettings(readers, text) {
  return readers.parseSettings(text, FILE, readers.DEFAULT_SETTINGS);
}

function commands({ harnesses, pool, policy, notify, tmuxSocket }) {
  return JSON.stringify([harnesses, pool.setup, policy.checks, notify.command, tmuxSocket]);
}

/** The outbox over one file that holds the text. */
export function judgeOutbox(readers, text) {
  const stamp = { mtimeMs: 0, size: text.length, inode: 1 };
  const outbox = readers.createOutbox({
    paths: { outboxDir: '/outbox' },
    files: {
      stat: () => ({ ok: true, value: { kind: 'directory' } }),
      list: () => ({ ok: true, value: ['000000000007.json'] }),
      readText: () => ({ ok: true, value: { text, stamp } }),
    },
  });
  const listed = outbox.list();
  if (!listed.ok) return 'the list fails because of one entry';
  const { entries, torn, damaged } = listed.value;
  return entries.length + torn.length + damaged.length === 1
    ? null
    : 'an entry is neither read nor reported';
}

/** What the daemon does with bytes from a client before it turns to anything else. */
export function readSocket({ Connection, CONNECTION_LIMITS }, text) {
  const stream = new Duplex({ read: () => {}, write: (_bytes, _encoding, done) => done() });
  const connection = new Connection({
    stream,
    greeting: '',
    limits: CONNECTION_LIMITS,
    onCall: (id) => connection.answer(id, { ok: true, value: null }),
    onAnswered: () => {},
    onClosed: () => {},
  });
  stream.emit('data', Buffer.from(text, 'utf8'));
  stream.destroy();
}

/** Lines from a client, in pieces of any size. */
export function judgeSocket(readers, text) {
  const bytes = Buffer.from(text, 'utf8');
  const decoder = readers.createLineDecoder(1024 * 1024);
  const lines = [];
  for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7 + 3) % 64 || 1) {
    lines.push(...decoder.push(bytes.subarray(at, at + size)).lines);
  }
  const whole = bytes.toString('utf8').split('\n').slice(0, -1);
  if (JSON.stringify(lines) !== JSON.stringify(whole))
    return 'a line was cut elsewhere than at its end';
  for (const line of lines) {
    const { call } = readers.parseCall(line);
    if (!call.ok && call.failure.kind === 'internal') return 'a call ends in a bug';
  }
  readSocket(readers, text);
  return null;
}
