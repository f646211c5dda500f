import { describeFailure } from '../../domain/describe-failure.js';
import type { Failure } from '../../domain/failure.js';
import type { Finding, Mended, MendOrder, MendReport } from '../../domain/finding.js';
import type { EventDraft } from '../../domain/history-event.js';
import type { Clock, Log } from '../../ports.js';
import type { Done } from './done.js';
import { mendFinding, needsDaemon, type MendParts } from './mend-finding.js';
import { RetryBook } from './retry-book.js';
import { lookAround, type Round, type SurveyParts } from './take-survey.js';

export type MenderParts = SurveyParts &
  MendParts & {
    readonly log: Log;
    readonly clock: Clock;
    /** Makes the world know what is on disk now. */
    refresh(): void;
    /** Puts an event about a known task into its history. */
    note(taskId: string, event: EventDraft): void;
    /** Something has changed that others go by. */
    onMended(): void;
  };

type Attempt = Omit<MendReport, 'remaining'>;

/** Finds what is out of place and puts it right, one round at a time. */
export class Mender {
  readonly #parts: MenderParts;
  readonly #retries: RetryBook;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

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
      const round = await lookAround(this.#parts, 'quick');
      await this.#attempt(
        round,
        (finding) => finding.fixable === 'safe' && this.#retries.isDue(finding),
      );
    });
  }

  /** Begins nothing more by itself. */
  close(): void {
    this.#isClosed = true;
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
    if (done.length > 0) this.#parts.onMended();
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
    this.#retries.succeed(finding);
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
    if (this.#retries.fail(finding)) {
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
