import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Answer = { readonly result?: object; readonly failure?: object; readonly cut?: boolean };
type Ledger = {
  propose(id: string, text: string, isAgentAtWork?: () => boolean): (answer: Answer) => void;
  forgetSummaries(id: string): void;
};
type Ledgers = { readonly Ledger: new (place: { chaos: string }) => Ledger };
type Oracle = {
  readonly checkSummaries: (
    ledger: Ledger,
    tasks: readonly object[],
  ) => readonly { readonly key: string }[];
};

const DONE = { result: {} };
const CUT = { cut: true };

describe('the oracle’s look at summaries', () => {
  let chaos: string;
  let ledger: Ledger;

  beforeEach(async () => {
    chaos = mkdtempSync(join(tmpdir(), 'oy-'));
    const { Ledger } = await loadScript<Ledgers>('../chaos/ledger');
    ledger = new Ledger({ chaos });
  });
  afterEach(() => rmSync(chaos, { recursive: true, force: true }));

  /** Asks for a summary and waits for the answer; the next one is asked for later. */
  async function ask(text: string, answer: Answer, isAgentAtWork = () => false): Promise<void> {
    ledger.propose('one', text, isAgentAtWork)(answer);
    await pause(2);
  }
  const wrongWith = async (summary: string) => {
    const { checkSummaries } = await loadScript<Oracle>('../chaos/oracle/check-acknowledged');
    return checkSummaries(ledger, [{ id: 'one', fields: { summary } }]).map(({ key }) => key);
  };

  it('I1 misses one that was acknowledged and never reached the file', async () => {
    await ask('first', DONE);
    expect(await wrongWith('first')).toEqual([]);
    await ask('second', DONE);
    expect(await wrongWith('second')).toEqual([]);
    expect(await wrongWith('first')).toEqual(['I1 one summary']);
    expect(await wrongWith('made up')).toEqual(['I1 one summary']);
  });

  it.each([
    ['whose answer was cut off', CUT],
    ['that failed', { failure: { kind: 'io' } }],
  ])('lets one %s be there or not, until another is acknowledged', async (_what, answer) => {
    await ask('first', DONE);
    await ask('second', answer);
    expect(await wrongWith('first')).toEqual([]);
    expect(await wrongWith('second')).toEqual([]);
    await ask('third', DONE);
    expect(await wrongWith('second')).toEqual(['I1 one summary']);
  });

  it('lets any of those that were asked for at once be the last', async () => {
    const answers = ['first', 'second'].map((text) => ledger.propose('one', text));
    for (const answer of answers) answer(DONE);
    expect(await wrongWith('first')).toEqual([]);
    expect(await wrongWith('second')).toEqual([]);
  });

  it('lets an agent that was at work bring an earlier one back', async () => {
    await ask('first', DONE);
    await ask('second', DONE, () => true);
    expect(await wrongWith('first')).toEqual([]);
    await ask('third', DONE);
    expect(await wrongWith('first')).toEqual(['I1 one summary']);
  });

  it('says nothing of a file that somebody else had in hand, or of a task it knows nothing of', async () => {
    await ask('first', DONE);
    ledger.forgetSummaries('one');
    expect(await wrongWith('another')).toEqual([]);
    await ask('second', CUT);
    expect(await wrongWith('another')).toEqual([]);
  });
});
