/** What an agent's own hooks say of it; the words are fixed, so that no shell has anything to read. */
export const HOOK_REPORTS = {
  working: ['task', 'report', '--hook', '--working'],
  asks: [
    'task',
    'report',
    '--hook',
    '--waiting',
    '-m',
    'its agent asks for permission or an answer',
  ],
  notResumed: [
    'task',
    'report',
    '--hook',
    '--waiting',
    '-m',
    'its agent could not take its conversation up again',
  ],
  turnOver: ['task', 'report', '--hook', '--waiting', '-m', 'its agent has ended its turn'],
} as const;

type HookReport = keyof typeof HOOK_REPORTS;

/** The report as one line for a program that runs its hooks through a shell. */
export function hookCommand(report: HookReport): string {
  const words = HOOK_REPORTS[report].map((word) => (word.includes(' ') ? `'${word}'` : word));
  return ['orange', ...words].join(' ');
}

/**
 * The start of a JavaScript extension: a function that sends one of the reports, with the id of the
 * conversation where it is given, and waits for nothing.
 */
export const REPORT_FUNCTION = `import { spawn } from 'node:child_process';

const REPORTS = ${JSON.stringify(HOOK_REPORTS, null, 2)};

function report(name, conversation) {
  const told = typeof conversation === 'string' ? ['--conversation=' + conversation] : [];
  const child = spawn('orange', [...REPORTS[name], ...told], { stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
}
`;
