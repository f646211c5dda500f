/** What tells a process from every other one, also after its pid was given away again. */
export type OwnerIdentity = {
  readonly pid: number;
  /** When it started, in the kernel's own count; null where there is no /proc. */
  readonly startTime: string | null;
  readonly bootId: string | null;
  /** The pid namespace: in another one the same number means another process. */
  readonly namespace: string | null;
  readonly host: string;
};

/** Who holds a home. The generation rises with every owner and never comes back. */
export type OwnerRecord = OwnerIdentity & {
  readonly nonce: string;
  readonly generation: number;
  /** The owner gave the home back although its process lives on. */
  readonly isReleased: boolean;
};

export function encodeOwner(record: OwnerRecord): string {
  return `${JSON.stringify({
    pid: record.pid,
    start_time: record.startTime,
    boot_id: record.bootId,
    namespace: record.namespace,
    host: record.host,
    nonce: record.nonce,
    generation: record.generation,
    released: record.isReleased,
  })}\n`;
}

/** The record in a text, or null when the text is no whole record. */
export function decodeOwner(text: string): OwnerRecord | null {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null) return null;
  const fields = new Map<string, unknown>(Object.entries(value));
  const pid = fields.get('pid');
  const nonce = fields.get('nonce');
  const generation = fields.get('generation');
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return null;
  if (typeof nonce !== 'string' || typeof generation !== 'number') return null;
  return {
    pid,
    startTime: textOrNull(fields.get('start_time')),
    bootId: textOrNull(fields.get('boot_id')),
    namespace: textOrNull(fields.get('namespace')),
    host: textOrNull(fields.get('host')) ?? '',
    nonce,
    generation,
    isReleased: fields.get('released') === true,
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
