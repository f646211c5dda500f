import { setTimeout as pause } from 'node:timers/promises';
import { describeFailure } from '../../domain/describe-failure.js';
import type { Failure } from '../../domain/failure.js';
import type { Finding, FindingClass, Mended, MendOrder, MendReport } from '../../domain/finding.js';
import type { EventDraft } from '../../domain/history-event.js';
import type { Clock, Log } from '../../ports.js';
import { RetryBook } from '../retry-book.js';
import type { Done } from './done.js';
import { mendFinding, needsDaemon, type MendParts } from './mend-finding.js';
import { lookAround, type Round, type SurveyParts } from './take-survey.js';

export type MenderParts = SurveyParts &
  MendParts & {
    readonly log: Log;
    readonly clock: Clock;
    /** How long what is only passing by may last. */
    readonly passingMs: number;
    /** Whether something is just being carried out for a task: then nothing of it is out of place. */
    isBusyWith(taskId: string): boolean;
    /** Makes the world know what is on disk now. */
    refresh(): void;
    /** Puts an event about a known task into its history. */
    note(taskId: string, event: EventDraft): void;
    /** Something may have changed that others go by. */
    onMended(): void;
  };

// An agent's own copy of TASK.md is taken over by the supervisor, once it is quiet.
const LEFT_TO_OTHERS: ReadonlySet<FindingClass> = new Set(['task-link']);

type Attempt = Omit<MendReport, 'remaining'>;

/** Finds what is out of place and puts it right, one round at a time. */
export class Mender {
  readonly #parts: MenderParts;
  readonly #retries: RetryBook;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #isCalled = false;

  constructor(parts: MenderParts) {
    this.#parts = parts;
    this.#retries = new RetryBook(parts.clock);
  }

  /** What is out of place now. Changes nothing. */
  async diagnose(): Promise<readonly Finding[]> {
    return this.#inTurn(async () => (await this.#look()).findings);
  }

  /** Mends what was asked for, then looks again. */
  async mend({ classes, reach }: MendOrder): Promise<MendReport> {
    const isMeant = (finding: Finding): boolean => classes.includes(finding.class);
    const isWithin = ({ fixable }: Finding): boolean =>
      fixable === 'safe' || (fixable === 'with-fix' && reach === 'asked');
    return this.#inTurn(async () => {
      const round = await this.#look();
      const attempt = await this.#attempt(round, (each) => isMeant(each) && isWithin(each));
      const after = await this.#look();
      return { ...attempt, remaining: after.findings.filter(isMeant) };
    });
  }

  /** Mends what nobody needs to be asked for; what would not be mended is tried ever less often. */
  async mendSafe(): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#isClosed) return;
      const first = await this.#quickLook();
      if (first.findings.length === 0) return;
      // What is only passing by is not there any more a moment later.
      await pause(this.#parts.passingMs);
      if (this.#isClosed) return;
      const second = await this.#quickLook();
      const before = new Set(first.findings.map(keyOf));
      await this.#attempt(second, (finding) => before.has(keyOf(finding)));
    });
  }

  /** Looks around now, as something was seen that it may have to mend; however often that is said, once. */
  async mendSoon(): Promise<void> {
    if (this.#isCalled) return;
    this.#isCalled = true;
    const turn = this.#inTurn(async () => void (this.#isCalled = false));
    await turn;
    await this.mendSafe();
  }

  /** Tries again soon what only the machine stood in the way of; does nothing where there is none. */
  async mendHindered(): Promise<void> {
    const isDue = this.#retries.takeHindered();
    if (this.#takeSetAside() || isDue) await this.mendSafe();
  }

  /** Begins nothing more by itself. */
  close(): void {
    this.#isClosed = true;
  }

  /** Whether worktrees were set aside because of the machine since this was last asked. */
  #takeSetAside(): boolean {
    const { quarantined } = this.#parts.world;
    const fresh = [...quarantined].filter(([, aside]) => aside.isHindered === true);
    for (const [workspace, { reason, failures }] of fresh) {
      quarantined.set(workspace, { reason, failures });
    }
    return fresh.length > 0;
  }

  /** What can be mended without asking, as far as a quick look shows it. */
  async #quickLook(): Promise<Round> {
    const { survey, findings } = await lookAround(this.#parts, 'quick');
    const due = findings.filter(
      (finding) =>
        finding.fixable === 'safe' && !LEFT_TO_OTHERS.has(finding.class) && this.#isDue(finding),
    );
    return { survey, findings: due };
  }

  #isDue(finding: Finding): boolean {
    const isBusy = finding.task_id !== null && this.#parts.isBusyWith(finding.task_id);
    return !isBusy && this.#retries.isDue(keyOf(finding));
  }

  async #look(): Promise<Round> {
    this.#parts.refresh();
    return lookAround(this.#parts, 'whole');
  }

  async #attempt(
    { survey, findings }: Round,
    isMeant: (finding: Finding) => boolean,
  ): Promise<Attempt> {
    const done: Mended[] = [];
    const failed: { finding: Finding; reason: string }[] = [];
    for (const finding of findings.filter(isMeant)) {
      if (needsDaemon(finding, survey)) continue;
      const mended = await mendFinding(this.#parts, finding, survey);
      if (mended.ok) done.push(this.#report(finding, mended.value));
      else failed.push({ finding, reason: this.#complain(finding, mended.failure) });
    }
    if (done.length > 0 || failed.length > 0) this.#parts.onMended();
    return { done, failed };
  }

  #report(finding: Finding, { message, event }: Done): Mended {
    const { class: kind, task_id: taskId, path, pids } = finding;
    const type = `mend.${kind}`;
    const facts = {
      message,
      ...(path === null ? {} : { path }),
      ...(pids.length === 0 ? {} : { pids: [...pids] }),
    };
    this.#retries.succeed(keyOf(finding));
    this.#parts.log.write({ event: type, level: 'warn', task: taskId ?? undefined, ...facts });
    if (taskId !== null && this.#parts.world.tasks.has(taskId)) {
      this.#parts.note(taskId, event ?? { type, ...facts });
    }
    return { class: kind, message, task_id: taskId, path };
  }

  #complain(finding: Finding, failure: Failure): string {
    const message = describeFailure(failure).message;
    const { class: kind, task_id: taskId, path } = finding;
    const facts = { class: kind, task: taskId ?? undefined, path: path ?? undefined };
    // The same complaint again and again would fill the log and say nothing new.
    if (this.#retries.fail(keyOf(finding), failure)) {
      this.#parts.log.write({ event: 'mend.failed', level: 'error', ...facts, message });
    }
    return message;
  }

  async #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(step, step);
    this.#last = turn;
    return turn;
  }
}

/** What makes a finding the same one in the next round. */
function keyOf(finding: Finding): string {
  return [finding.class, finding.task_id, finding.path, finding.session].join('\n');
}
