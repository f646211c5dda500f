import { describe, expect, it } from 'vitest';
import { judgeEnd, type EndEvidence } from '../../src/adapters/judge-end.js';

const OWN: EndEvidence = {
  isRecorded: true,
  hasHungUp: false,
  signal: null,
  isSameBoot: true,
  isServerAlive: true,
  isOrangesDoing: false,
};
const UNRECORDED = { isRecorded: false } as const;
const HUNG_UP = { hasHungUp: true, signal: 'SIGHUP' } as const;
const TERMINATED = { signal: 'SIGTERM' } as const;
const SEGFAULT = { signal: 'SIGSEGV' } as const;
const ENDED = { isOrangesDoing: true } as const;
const SERVER_GONE = { isServerAlive: false } as const;
const REBOOTED = { isSameBoot: false, isServerAlive: false } as const;

describe('the end of an agent', () => {
  it.each<[string, Partial<EndEvidence>, 'own' | 'in doubt' | 'server' | 'reboot' | 'window']>([
    ['by itself', {}, 'own'],
    ['by itself, its server died later', SERVER_GONE, 'own'],
    ['by itself, before a reboot', REBOOTED, 'own'],
    ['by its own fault', SEGFAULT, 'own'],
    ['by its own fault, before a reboot', { ...SEGFAULT, ...REBOOTED }, 'own'],
    ['by a signal from somebody', TERMINATED, 'own'],
    ['by a signal that the server got too', { ...TERMINATED, ...SERVER_GONE }, 'server'],
    ['by a signal of a machine that goes down', { ...TERMINATED, ...REBOOTED }, 'reboot'],
    ['without its terminal, its server gone', { ...HUNG_UP, ...SERVER_GONE }, 'server'],
    ['without its terminal, its server there', HUNG_UP, 'in doubt'],
    ['without its terminal, before a reboot', { ...HUNG_UP, ...REBOOTED }, 'reboot'],
    ['without a word, its server gone', { ...UNRECORDED, ...SERVER_GONE }, 'server'],
    ['without a word, its server there', UNRECORDED, 'in doubt'],
    ['by orange', { ...HUNG_UP, ...ENDED }, 'window'],
    ['by orange, whatever it made of that', ENDED, 'window'],
    ['by orange, without a word', { ...UNRECORDED, ...ENDED }, 'window'],
    ['by orange, its server gone', { ...HUNG_UP, ...SERVER_GONE, ...ENDED }, 'server'],
    ['by orange in good order, before a reboot', { ...REBOOTED, ...ENDED }, 'window'],
    ['by orange, before a reboot', { ...HUNG_UP, ...REBOOTED, ...ENDED }, 'reboot'],
    ['without a word, before a reboot', { ...UNRECORDED, ...REBOOTED }, 'reboot'],
    ['without a word, on no known server', { ...UNRECORDED, isServerAlive: null }, 'own'],
  ])('%s', (_, evidence, expected) => {
    const judged = judgeEnd({ ...OWN, ...evidence });
    const outcome = judged.isInDoubt ? 'in doubt' : (judged.interruptedBy ?? 'own');
    expect(outcome).toBe(expected);
  });
});
