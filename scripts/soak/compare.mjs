/** The events of which each launch that has begun has exactly one. */
export const START_EVENTS = ['agent.spawned', 'review.started'];
/** A task that crashes once more within a minute of so many restarts is stuck. */
const RESTARTS_A_MINUTE = 3;

/**
 * What the ledger of a task says beside its history: everything the agents did, and every end that a
 * person brought about, must be there once. Gives a line per event that is missing or that nobody caused.
 */
export function compareLedger(ledger, history) {
  const verdicts = wordsAfter(ledger, 'verdict');
  const ends = wordsAfter(ledger, 'end');
  return [
    ...compareStarts(ledger, history),
    ...compareCrashes(ledger, history),
    ...compareInterruptions(history),
    ...compareStuck(ledger, history),
    ...compareSilences(ledger, history),
    ...comparePolls(history),
    ...countProblem(
      'moves to agent-review',
      wordsAfter(ledger, 'handoff').length,
      moves(history, 'working', 'agent-review'),
    ),
    ...countProblem(
      'moves back to working',
      count(verdicts, 'FAIL'),
      moves(history, 'agent-review', 'working'),
    ),
    ...countProblem(
      'moves to reviewing',
      count(verdicts, 'PASS'),
      moves(history, 'agent-review', 'reviewing'),
    ),
    ...countProblem(
      'moves to done',
      ends.length - count(ends, 'cancelled'),
      moves(history, 'reviewing', 'done'),
    ),
    ...countProblem(
      'moves to cancelled',
      count(ends, 'cancelled'),
      moves(history, 'reviewing', 'cancelled'),
    ),
    ...countProblem('merges', count(ends, 'merged'), launches(history, 'task.merged').length),
  ];
}

function compareStarts(ledger, history) {
  const begun = wordsAfter(ledger, 'start');
  const recorded = START_EVENTS.flatMap((type) => launches(history, type));
  return [...new Set([...begun, ...recorded])].flatMap((launch) => {
    const [done, told] = [count(begun, launch), count(recorded, launch)];
    const isOnce = done === 1 && told === 1;
    return isOnce ? [] : [`start of ${launch}: ${done} done, ${told} recorded`];
  });
}

/** No server and no machine goes down in a soak. */
function compareInterruptions(history) {
  return launches(history, 'agent.interrupted').map(
    (launch) => `interruption of ${launch}: never happened`,
  );
}

function compareStuck(ledger, history) {
  const crashes = wordsAfter(ledger, 'crash').length;
  const stuck = countStuck(history);
  return stuck * (RESTARTS_A_MINUTE + 1) <= crashes ? [] : [`stuck after ${crashes} crashes`];
}

/** How often the task has become stuck; no soak brings one back from there. */
export function countStuck(history) {
  return history.filter((event) => isMove(event) && event.to === 'stuck').length;
}

function compareCrashes(ledger, history) {
  const crashes = wordsAfter(ledger, 'crash');
  const recorded = launches(history, 'agent.crashed');
  return [
    ...crashes.flatMap((launch) => countProblem(`crash of ${launch}`, 1, count(recorded, launch))),
    ...recorded
      .filter((launch) => !crashes.includes(launch))
      .map((launch) => `crash of ${launch}: never happened`),
  ];
}

/** Each silence that was ended: called stalled once, resumed once. Nobody knows the agents' screens, so none is asked. */
function compareSilences(ledger, history) {
  const [silent, awake, atRest] = ['silent', 'awake', 'rest'].map((word) =>
    wordsAfter(ledger, word),
  );
  const recorded = {
    stalled: launches(history, 'agent.stalled'),
    resumed: launches(history, 'agent.resumed'),
  };
  const all = new Set([...silent, ...recorded.stalled, ...recorded.resumed]);
  return [...all].flatMap((launch) => {
    const ended = count(awake, launch);
    // A silence that was not ended may have been noticed already, or not yet.
    const isOpen = atRest.includes(launch) || count(silent, launch) > ended;
    return Object.entries(recorded).flatMap(([what, list]) => {
      const found = count(list, launch);
      const isFine = found === ended || (isOpen && what !== 'resumed' && found === ended + 1);
      return isFine ? [] : countProblem(`silence of ${launch}, ${what}`, ended, found);
    });
  });
}

function comparePolls(history) {
  return launches(history, 'progress.polled').map(
    (launch) => `question to ${launch}: what its screen shows is not known`,
  );
}

function wordsAfter(ledger, word) {
  return ledger
    .split('\n')
    .filter((line) => line.startsWith(`${word} `))
    .map((line) => line.slice(word.length + 1));
}

/** The launches that events of one type are about. */
function launches(history, wanted) {
  return history.filter(({ type }) => type === wanted).map(({ launch }) => launch);
}

function moves(history, from, to) {
  return history.filter((event) => isMove(event) && event.from === from && event.to === to).length;
}

function isMove({ type }) {
  return type === 'auto.advanced' || type === 'status.changed';
}

function count(list, wanted) {
  return list.filter((each) => each === wanted).length;
}

function countProblem(what, done, recorded) {
  return done === recorded ? [] : [`${what}: ${done} done, ${recorded} recorded`];
}
