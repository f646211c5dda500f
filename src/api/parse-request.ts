import { REPORT_STATES, type Request } from '../domain/request.js';
import { failed, success } from '../domain/result.js';
import type { Result } from '../domain/result.js';
import { GATES, MERGE_STRATEGIES } from '../domain/settings.js';
import { STATUSES } from '../domain/status.js';
import { checkFields, invalidArgument } from './check-fields.js';
import type { FieldRules } from './check-fields.js';
import {
  absolutePath,
  conversationId,
  extensionEdits,
  isRecord,
  listOf,
  oneOf,
  optional,
  orNull,
  projectName,
  taskId,
  text,
  wholeNumber,
  yesOrNo,
} from './field-rules.js';

/** A wish from outside, with every field known, of its type and within bounds; no more is promised. */
export function parseRequest(value: unknown): Result<Request> {
  if (!isRecord(value)) return failed(invalidArgument('request', value, 'an object with a kind'));
  const { kind } = value;
  if (!isKind(kind)) {
    const kinds = Object.keys(REQUEST_FIELDS).join(', ');
    return failed(invalidArgument('kind', kind, `one of ${kinds}`));
  }
  const broken = checkFields({ fields: value, named: 'kind', rules: REQUEST_FIELDS[kind] });
  return broken === null ? success(asRequest(value)) : failed(broken);
}

type Kind = Request['kind'];
type RequestOf<K extends Kind> = Request extends infer R
  ? R extends { kind: infer Each }
    ? K extends Each
      ? R
      : never
    : never
  : never;

const shortText = text({ max: 255 });
const summary = text({ max: 4096 });
// A task file may have 256 KiB, so nothing that goes into one can be longer.
const longText = text({ max: 256 * 1024 });
const words = text({ min: 1, max: 64 * 1024 });
const branch = text({ min: 1, max: 255 });
const heldBecause = text({ min: 1, max: 4096 });
const optionalStatus = optional(oneOf(STATUSES));
const poolSize = wholeNumber({ min: 1, max: 1000 });

const REQUEST_FIELDS: { readonly [K in Kind]: FieldRules<RequestOf<K>, 'kind'> } = {
  'task.create': {
    project: projectName,
    branch: orNull(branch),
    summary,
    harness: orNull(shortText),
    reviewHarness: orNull(shortText),
    context: orNull(longText),
    status: oneOf(['pending', 'clarification', 'agent-review', 'reviewing']),
    extensions: extensionEdits,
  },
  'task.update': {
    taskId,
    status: optionalStatus,
    summary: optional(summary),
    branch: optional(branch),
    harness: optional(shortText),
    reviewHarness: optional(shortText),
    extensions: optional(extensionEdits),
  },
  'task.spawn': { taskId, force: yesOrNo },
  'task.respawn': { taskId },
  'task.unlock': { taskId },
  'task.restore': { taskId },
  'task.drift': { taskId },
  'task.send': { taskId, text: longText },
  'task.report': {
    taskId,
    state: orNull(oneOf(REPORT_STATES)),
    text: orNull(summary),
    launchId: orNull(shortText),
    conversation: optional(conversationId),
  },
  'task.ask': { taskId, text: words },
  'task.answer': {
    taskId,
    question: orNull(wholeNumber({ min: 1, max: 999 })),
    text: words,
  },
  'task.review': { taskId, verdict: oneOf(['PASS', 'FAIL']), text: longText },
  'task.request-changes': { taskId, text: words },
  'task.approve': { taskId, gate: orNull(oneOf(GATES)), seen: optionalStatus, text: longText },
  'task.reject': { taskId, gate: orNull(oneOf(GATES)), seen: optionalStatus, text: words },
  'task.cancel': { taskId, reason: orNull(summary) },
  'task.block': { taskId, blockers: listOf(taskId, 1000) },
  'task.unblock': { taskId, blockers: listOf(branch, 1000) },
  'task.hold': { taskId, reason: heldBecause },
  'task.release': { taskId },
  'task.requeue': { taskId, hold: orNull(heldBecause) },
  'task.delete': { taskId },
  'task.finalize': { taskId },
  'task.reopen': { taskId, summary: orNull(summary) },
  'task.merge': {
    taskId,
    strategy: orNull(oneOf(MERGE_STRATEGIES)),
    push: orNull(yesOrNo),
    message: orNull(longText),
    anyway: optional(yesOrNo),
    local: optional(yesOrNo),
  },
  'task.pr-create': {
    taskId,
    isDraft: yesOrNo,
    title: orNull(text({ min: 1, max: 256 })),
    body: orNull(words),
    base: orNull(branch),
  },
  'task.pr-sync': { taskId },
  'task.pr-feedback': { taskId, decision: oneOf(['send', 'dismiss']) },
  'project.add': {
    path: absolutePath,
    name: orNull(projectName),
    defaultBranch: orNull(branch),
    poolSize: orNull(poolSize),
  },
  'project.update': {
    name: projectName,
    path: orNull(absolutePath),
    defaultBranch: orNull(branch),
    poolSize: orNull(poolSize),
  },
  'project.remove': { name: projectName },
  'project.trust': { name: projectName },
  'salvage.restore': {
    project: projectName,
    ref: branch,
    into: orNull(absolutePath),
    branch: orNull(branch),
  },
  'salvage.drop': { project: projectName, ref: branch },
  'salvage.prune': {
    project: orNull(projectName),
    days: orNull(wholeNumber({ min: 0, max: 36_500 })),
  },
  'lock.reserve': {
    project: projectName,
    paths: listOf(text({ min: 1, max: 1024 }), 500),
    taskId: orNull(taskId),
    name: orNull(text({ min: 1, max: 100 })),
    ttlMinutes: orNull(wholeNumber({ min: 0, max: 525_600 })),
  },
  'lock.release': { id: shortText },
  'workspace.init': { project: projectName },
  'workspace.gc': { project: orNull(projectName) },
};

function isKind(value: unknown): value is Kind {
  return typeof value === 'string' && Object.hasOwn(REQUEST_FIELDS, value);
}

/** The one place where a checked request gets its type: the table has a rule for each field. */
function asRequest(checked: unknown): Request {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return checked as Request;
}
