import { expect, it } from 'vitest';
import { addedCommands } from '../../src/domain/added-commands.js';
import { buildSettings } from '../builders/world.js';

it('names every command that a project adds, and where, without what could steer a terminal', () => {
  const user = buildSettings();
  const shared = { ...user, pool: { ...user.pool, setup: ['npm ci'] } };
  const own = {
    ...shared,
    pool: { ...user.pool, setup: ['npm ci', 'make\u001b[2J all'] },
    policy: {
      ...user.policy,
      checks: { ...user.policy.checks, handoff: ['npm test'], merge: ['npm run lint\nrm -rf /'] },
    },
    notify: { ...user.notify, command: ['ring', '{message}'] },
    harnesses: { ...user.harnesses, mine: { command: ['mine', '{prompt}'] } },
  };
  const added = addedCommands(own, shared);
  expect(added.slice(1)).toEqual([
    'policy.checks.handoff: npm test',
    'policy.checks.merge: npm run lint rm -rf /',
    'notify.command: ring {message}',
    'harnesses.mine.command: mine {prompt}',
  ]);
  expect(added[0]).toMatch(/^pool\.setup: make.* all$/);
  expect(added[0]).not.toContain('\u001b');
  expect(addedCommands(shared, shared)).toEqual([]);
});
