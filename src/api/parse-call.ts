import { FINDING_CLASSES } from '../domain/finding.js';
import { failed, success } from '../domain/result.js';
import type { Result } from '../domain/result.js';
import { checkFields, invalidArgument } from './check-fields.js';
import type { FieldRules } from './check-fields.js';
import {
  isRecord,
  listOf,
  oneOf,
  orNull,
  projectName,
  taskId,
  text,
  wholeNumber,
} from './field-rules.js';
import { parseRequest } from './parse-request.js';
import type { Rule } from './field-rules.js';
import type { Call } from './protocol.js';

/** A client's line: which answer it waits for, if that could be read, and what it asks. */
export type ParsedCall = { readonly id: number | null; readonly call: Result<Call> };

/** Reads one line from a client. Whatever the line holds, the answer is a value. */
export function parseCall(line: string): ParsedCall {
  const message = parseJson(line);
  if (!isRecord(message)) {
    return { id: null, call: invalid('message', line, 'one JSON object per line') };
  }
  const id = message['id'];
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1) {
    return { id: null, call: invalid('id', id, 'a whole number from 1') };
  }
  const stray = Object.keys(message).find((key) => key !== 'id' && key !== 'call');
  const call =
    stray === undefined ? parseMethod(message['call']) : invalid(stray, message[stray], 'unknown');
  return { id, call };
}

function parseMethod(call: unknown): Result<Call> {
  if (!isRecord(call)) return invalid('call', call, 'an object with a method');
  const method = METHODS.find((known) => known === call['method']);
  if (method === undefined) {
    return invalid('method', call['method'], `one of ${METHODS.join(', ')}`);
  }
  const broken = checkFields({ fields: call, named: 'method', rules: CALL_FIELDS[method] });
  if (broken !== null) return failed(broken);
  if (method === 'submit') {
    const request = parseRequest(call['request']);
    if (!request.ok) return request;
  }
  return success(asCall(call));
}

type Method = Call['method'];
const METHODS: readonly Method[] = [
  'submit',
  'snapshot',
  'subscribe',
  'status',
  'next',
  'locks',
  'check-locks',
  'peek',
  'doctor',
  'mend',
  'stop',
];

const mendClasses = listOf(oneOf(FINDING_CLASSES), FINDING_CLASSES.length);
const mendReach = oneOf(['safe', 'asked']);
const mendOrder: Rule = (value) => {
  if (!isRecord(value) || Object.keys(value).length !== 2) return 'an order: classes and reach';
  return mendClasses(value['classes']) ?? mendReach(value['reach']);
};

const CALL_FIELDS: { readonly [M in Method]: FieldRules<Extract<Call, { method: M }>, 'method'> } =
  {
    // Only the daemon itself may speak for the daemon.
    submit: {
      request: (value) => (isRecord(value) ? null : 'a request'),
      actor: oneOf(['human', 'agent']),
    },
    snapshot: {},
    subscribe: {},
    status: {},
    next: {},
    locks: {},
    'check-locks': {
      project: projectName,
      taskId: orNull(taskId),
      paths: listOf(text({ min: 1, max: 1024 }), 500),
    },
    peek: { taskId, lines: wholeNumber({ min: 1, max: 10_000 }) },
    doctor: {},
    mend: { order: mendOrder, actor: oneOf(['human', 'agent']) },
    stop: {},
  };

/** The one place where a checked message gets its type: CALL_FIELDS has a rule for each field. */
function asCall(checked: unknown): Call {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return checked as Call;
}

function invalid(argument: string, value: unknown, rule: string): Result<Call> {
  return failed(invalidArgument(argument, value, rule));
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
