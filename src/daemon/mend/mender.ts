import { describeFailure } from '../../domain/describe-failure.js';
import type { EventDraft } from '../../domain/history-event.js';
import type { Finding, Mended, MendClass, MendReport } from '../../domain/finding.js';
import type { Log } from '../../ports.js';
import { mendFinding, type MendParts } from './mend-finding.js';
import { lookAround, type Round, type SurveyParts } from './take-survey.js';

export type MenderParts = SurveyParts &
  MendParts & {
    readonly log: Log;
    /** Puts an event about a known task into its history. */
    note(taskId: string, event: EventDraft): void;
    /** Something has changed that others show. */
    onMended(): void;
  };

type Attempt = { readonly done: readonly Mended[]; readonly failed: MendReport['failed'] };

/** Finds what is out of place and puts it right, one round at a time. */
export class Mender {
  readonly #parts: MenderParts;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(parts: MenderParts) {
    this.#parts = parts;
  }

  /** What is out of place now. Changes nothing. */
  async diagnose(): Promise<readonly Finding[]> {
    return (await this.#inTurn(async () => lookAround(this.#parts))).findings;
  }

  /** Mends what was asked for, then looks again. */
  async mend(wanted: MendClass): Promise<MendReport> {
    const isMeant = (finding: Finding): boolean => wanted === 'all' || finding.class === wanted;
    return this.#inTurn(async () => {
      const round = await lookAround(this.#parts);
      const attempt = await this.#attempt(
        round,
        (finding) => isMeant(finding) && finding.fixable !== 'by-hand',
      );
      const after = await lookAround(this.#parts);
      return { ...attempt, remaining: after.findings.filter(isMeant) };
    });
  }

  /** Mends what nobody needs to be asked for. */
  async mendSafe(): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#isClosed) return;
      const round = await lookAround(this.#parts);
      await this.#attempt(round, ({ fixable }) => fixable === 'safe');
    });
  }

  /** Begins nothing more by itself. */
  close(): void {
    this.#isClosed = true;
  }

  async #attempt(
    { survey, findings }: Round,
    isMeant: (finding: Finding) => boolean,
  ): Promise<Attempt> {
    const done: Mended[] = [];
    const failed: { finding: Finding; reason: string }[] = [];
    for (const finding of findings.filter(isMeant)) {
      const mended = await mendFinding(this.#parts, finding, survey);
      if (mended.ok) done.push(this.#report(finding, mended.value));
      else failed.push({ finding, reason: this.#complain(finding, mended.failure) });
    }
    if (done.length > 0) this.#parts.onMended();
    return { done, failed };
  }

  #report(finding: Finding, message: string): Mended {
    const { class: kind, task_id: taskId, path, pids } = finding;
    const facts = {
      ...(path === null ? {} : { path }),
      ...(pids.length === 0 ? {} : { pids: [...pids] }),
    };
    this.#parts.log.write({
      event: `mend.${kind}`,
      level: 'warn',
      task: taskId ?? undefined,
      message,
      ...facts,
    });
    if (taskId !== null && this.#parts.world.tasks.has(taskId)) {
      this.#parts.note(taskId, { type: `mend.${kind}`, message, ...facts });
    }
    return { class: kind, message, task_id: taskId, path };
  }

  #complain(finding: Finding, failure: Parameters<typeof describeFailure>[0]): string {
    const reason = describeFailure(failure).message;
    const { class: kind, task_id: taskId, path } = finding;
    this.#parts.log.write({
      event: 'mend.failed',
      level: 'error',
      class: kind,
      task: taskId ?? undefined,
      path: path ?? undefined,
      message: reason,
    });
    return reason;
  }

  async #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(step, step);
    this.#last = turn;
    return turn;
  }
}
