import { Daemon } from './daemon.mjs';
import { endPlace } from './end-place.mjs';
import { Ledger } from './ledger.mjs';
import { Lives } from './lives.mjs';
import { isFinal } from './oracle/check-history.mjs';
import { listAgents } from './oracle/check-processes.mjs';
import { readHome } from './oracle/read-home.mjs';
import { makePlace, PROJECT } from './place.mjs';
import { busyAgents, settle, timeRest } from './settle.mjs';
import { awaitState } from './wait.mjs';

/** Half an hour off, fourteen hours ahead, eleven behind, and with a summer time. */
const ZONES = [
  'UTC',
  'Pacific/Kiritimati',
  'Pacific/Niue',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Europe/Berlin',
];
/** What is written under the first of these is open to everybody, unless orange sees to it. */
const MASKS = ['000', '022', '077'];

/** One home over several rounds: its daemon, what clients were told, and how to ask for things. */
export class Course {
  place;
  daemon;
  ledger;
  lives;
  random;
  /** How long a fault waits for what it needs. */
  patienceMs = 10_000;
  /** By when a client that reads nothing has to be gone. */
  dropMs = 60_000;
  /** What faults found wrong themselves. */
  complaints = [];
  #count = 0;
  #mask;

  constructor(place, random) {
    this.place = place;
    this.random = random;
    this.#mask = random.pick(MASKS);
    this.daemon = new Daemon(place, (what) => this.complain(what));
    this.ledger = new Ledger(place);
    this.lives = new Lives(place);
  }

  static async open({ random, ...how }) {
    return new Course(await makePlace(how), random);
  }

  async close({ isKept = false } = {}) {
    await this.lives.end();
    await endPlace(this.place, { isKept });
  }

  /** Starts a daemon, in another time zone each time, and listens to what it tells. */
  async start({ env = {}, wrap = [], ...how } = {}) {
    const masked = ['/bin/sh', '-c', `umask ${this.#mask} && exec "$@"`, 'sh'];
    const isUp = await this.daemon.start({
      ...how,
      env: { TZ: this.random.pick(ZONES), ...env },
      wrap: [...masked, ...wrap],
    });
    if (isUp) {
      this.daemon.client.subscribe(({ tasks }) => {
        for (const view of tasks) this.ledger.show(view);
      });
    }
    return isUp;
  }

  /** Sends a wish and enters what was acknowledged. The answer may be cut off. */
  async ask(request, timeoutMs = 30_000) {
    const { client } = this.daemon;
    if (client === null) return { cut: true };
    if (request.kind === 'task.delete') this.ledger.wantDeletion(request.taskId);
    const onSummary = this.#enterSummary(request);
    const answer = await client.submit(request, timeoutMs);
    onSummary(answer);
    if (answer.late) this.complain(`I10 no answer to ${request.kind} in ${timeoutMs} ms`);
    if (answer.failure?.kind === 'internal') {
      this.complain(`a bug behind ${request.kind}: ${answer.failure.message}`);
    }
    const view = answer.result?.task;
    if (view != null) this.ledger.answer(view);
    if (request.kind === 'task.delete' && answer.result !== undefined) {
      this.ledger.acknowledgeDeletion(request.taskId);
    }
    return answer;
  }

  /** Enters a summary that is asked for; gives whom to hand the answer. */
  #enterSummary({ kind, taskId, summary }) {
    if (summary === undefined) return () => undefined;
    if (kind === 'task.update') return this.proposeSummary(taskId, summary);
    return (answer) => {
      const id = answer.result?.task?.fields.id;
      if (id !== undefined) this.ledger.propose(id, summary)(answer);
    };
  }

  /** Enters that a task is to have a summary; gives whom to hand the answer. */
  proposeSummary(taskId, text) {
    const { harness } = this.tasks.find(({ id }) => id === taskId)?.fields ?? {};
    // What it saved may be taken over after it has come to rest.
    const isAgentAtWork = () => harness === 'saver' || busyAgents(this.place).length > 0;
    return this.ledger.propose(taskId, text, isAgentAtWork);
  }

  create({ worker = 'steady', reviewer = 'passing', branch, ...more } = {}) {
    this.#count += 1;
    return this.ask({
      kind: 'task.create',
      project: PROJECT,
      branch: branch ?? `t${this.#count}-${worker}`,
      summary: `Task ${this.#count}`,
      harness: worker,
      reviewHarness: reviewer,
      context: null,
      status: 'pending',
      extensions: {},
      ...more,
    });
  }

  complain(what) {
    this.complaints.push(what);
  }

  get tasks() {
    return readHome(this.place.home).tasks.filter(({ fields }) => fields.status !== undefined);
  }

  get living() {
    return this.tasks.filter(({ fields }) => !isFinal(fields.status));
  }

  /** A task in one of these states, made if there is none; null when it does not come. */
  async taskIn(statuses, how = {}, isFit = () => true) {
    const found = () =>
      this.living.find((task) => statuses.includes(task.fields.status) && isFit(task));
    const there = found();
    if (there !== undefined) return there.id;
    await this.makeRoom();
    const { result } = await this.create(how);
    const id = result?.task?.fields.id;
    if (id === undefined) return null;
    const status = () => this.tasks.find((task) => task.id === id)?.fields.status;
    const isIn = await awaitState(() => statuses.includes(status()), 15_000, 40);
    return isIn === undefined ? null : id;
  }

  /** A task whose worker lives, as the daemon shows it; made if there is none. */
  async liveTask() {
    const isLive = ({ id }) => listAgents(this.place.home).some(({ taskId }) => taskId === id);
    return this.taskIn(['planning', 'working', 'reviewing', 'clarification'], {}, isLive);
  }

  /** Gives up what is in the way until a worktree is free. */
  async makeRoom() {
    const holding = this.living.filter(({ fields }) => fields.workspace !== null);
    const waiting = this.living.filter(({ fields }) => fields.status === 'pending');
    for (const { id } of waiting) await this.ask({ kind: 'task.cancel', taskId: id, reason: null });
    const [victim] = this.random.shuffle(holding);
    if (holding.length >= 3 && victim !== undefined) {
      await this.ask({ kind: 'task.cancel', taskId: victim.id, reason: 'room' });
    }
  }

  /** Keeps the home small: finished tasks go, oldest first. */
  async tidy() {
    const over = this.tasks.filter(({ fields }) => isFinal(fields.status));
    for (const { id } of over.slice(0, Math.max(0, over.length - 4))) {
      await this.ask({ kind: 'task.delete', taskId: id });
    }
  }

  /** Waits for rest, as long as the daemon lives. */
  settle(isOver = () => false) {
    return settle(this.place, { isOver: () => !this.daemon.isRunning || isOver() });
  }

  /** Waits for rest, and says how long it took. */
  timeRest() {
    return timeRest(this.place, { isOver: () => !this.daemon.isRunning });
  }
}
