/**
 * What the ledger of a task says beside its history: everything the agents did must be there once.
 * Gives a line per event that is missing or that nobody caused.
 */
export function compareLedger(ledger, history) {
  const crashes = wordsAfter(ledger, 'crash');
  const recorded = history
    .filter(({ type }) => type === 'agent.crashed')
    .map(({ launch }) => launch);
  return [
    ...crashes.flatMap((launch) => countProblem(`crash of ${launch}`, 1, count(recorded, launch))),
    ...recorded
      .filter((launch) => !crashes.includes(launch))
      .map((launch) => `crash of ${launch}: never happened`),
    ...countProblem(
      'moves to agent-review',
      wordsAfter(ledger, 'handoff').length,
      moves(history, 'working', 'agent-review'),
    ),
    ...countProblem(
      'moves back to working',
      wordsAfter(ledger, 'verdict').length,
      moves(history, 'agent-review', 'working'),
    ),
  ];
}

function wordsAfter(ledger, word) {
  return ledger
    .split('\n')
    .filter((line) => line.startsWith(`${word} `))
    .map((line) => line.slice(word.length + 1));
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
