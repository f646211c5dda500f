import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { classifyScreen, waitingReason } from '../../src/harness/screen-signs.js';

const SCREENS = fileURLToPath(new URL('../fixtures/screens', import.meta.url));

/** One file per agent and state, named after them: `claude/idle.txt`. */
const screens = readdirSync(SCREENS).flatMap((harness) =>
  readdirSync(join(SCREENS, harness)).map((file) => ({
    harness,
    state: basename(file, '.txt'),
    lines: readFileSync(join(SCREENS, harness, file), 'utf8').split('\n'),
  })),
);

describe('classifyScreen', () => {
  it('knows at least working, idle and what they ask of every built-in agent', () => {
    for (const harness of ['claude', 'codex', 'opencode', 'gemini']) {
      expect(statesOf(harness)).toEqual(
        expect.arrayContaining(['asks-permission', 'idle', 'working']),
      );
    }
    // It asks for no approvals.
    expect(statesOf('pi')).toEqual(['idle', 'working']);
  });

  it.each(screens)('finds $harness $state', ({ harness, state, lines }) => {
    expect(classifyScreen(harness, lines)).toBe(state);
  });

  it.each(screens)('does not take $harness $state for over, with an empty pane below', (screen) => {
    const padded = [...screen.lines, ...Array.from({ length: 40 }, () => '   ')];
    expect(classifyScreen(screen.harness, padded)).toBe(screen.state);
  });

  it('passes over what was asked and answered further up', () => {
    const asked = screens.find(
      ({ harness, state }) => `${harness} ${state}` === 'claude asks-trust',
    );
    const working = screens.find(
      ({ harness, state }) => `${harness} ${state}` === 'claude working',
    );
    const lines = [...(asked?.lines ?? []), ...(working?.lines ?? [])];
    expect(classifyScreen('claude', lines)).toBe('working');
  });

  it('is not led astray by an agent that talks about permission', () => {
    const lines = ['● The text says: Do you want to proceed?', '✻ Baking… (3s · esc to interrupt)'];
    expect(classifyScreen('claude', lines)).toBe('working');
    expect(classifyScreen('claude', ['Do you want to proceed?'])).toBe('unknown');
  });

  it.each([
    ['asks-question', 'Proceed? [y/N]'],
    ['asks-question', 'Proceed? [y/N] '],
    ['asks-question', 'Do you want to continue? (Y/n): '],
    ['asks-question', 'Continue connecting (yes/no/[fingerprint])? '],
    ['needs-login', "Enter passphrase for key '/home/pat/.ssh/id': "],
    ['unknown', 'Proceed? [y/N] y'],
    ['unknown', 'Proceed? [y/N] y\ngot y'],
    ['unknown', 'Proceed? [y/N]\ngot nothing'],
    ['unknown', "Enter passphrase for key '/home/pat/.ssh/id': \nIdentity added"],
    ['unknown', 'usage: bot [y/n] FILE'],
  ])('F63 takes for %s what ends in %j', (state, screen) => {
    const lines = ['Fetching the packages', ...screen.split('\n'), '', ''];
    expect(classifyScreen('mybot', lines)).toBe(state);
  });

  it('knows nothing of an empty screen', () => {
    for (const harness of ['claude', 'nobody', 'constructor']) {
      expect(classifyScreen(harness, [])).toBe('unknown');
    }
  });
});

describe('waitingReason', () => {
  it('has words for every state in which somebody is waited for, and for no other', () => {
    const states = [...new Set(screens.map(({ state }) => state))].toSorted();
    const without = states.filter(
      (state) => waitingReason(classifyScreen(...firstOf(state))) === null,
    );
    expect(without).toEqual(['unknown', 'working']);
  });
});

function statesOf(harness: string): readonly string[] {
  return screens.filter((screen) => screen.harness === harness).map(({ state }) => state);
}

function firstOf(state: string): [string, readonly string[]] {
  const screen = screens.find((each) => each.state === state);
  return [screen?.harness ?? '', screen?.lines ?? []];
}
