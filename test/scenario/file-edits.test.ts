import { describe, expect, it } from 'vitest';
import { eventsOf, eventTypes } from '../fakes/history-queries.js';
import { buildWorld } from '../builders/world.js';
import { Simulation } from '../fakes/simulation.js';

function atWork(): { readonly sim: Simulation; readonly id: string } {
  const sim = new Simulation(buildWorld());
  const id = sim.create({ context: 'Blue, please.' });
  sim.carryOut();
  sim.writeAndSettle(id, { Plan: 'APPROACH: the short way' });
  return { sim, id };
}

describe('an agent that edits its task’s file', () => {
  it('ORA-28 ORA-29 ORA-30 ORA-37 gets a legal status and loses what the engine owns', () => {
    const { sim, id } = atWork();
    const fields = { status: 'clarification', review_round: 5, crash_count: 5 } as const;
    sim.write(id, { fields, sections: { Questions: 'Which blue?' } });
    sim.settle(id);
    expect(sim.file(id).fields).toMatchObject({
      status: 'clarification',
      review_round: 0,
      crash_count: 0,
    });
    expect(sim.file(id).sections.Questions).toBe('Which blue?');
    expect(eventTypes(sim.history(id)).slice(-3)).toEqual([
      'frontmatter.rejected',
      'frontmatter.rejected',
      'status.changed',
    ]);
  });

  it('ORA-37 finds an illegal status put back in the file', () => {
    const { sim, id } = atWork();
    sim.write(id, { fields: { status: 'done' } });
    sim.settle(id);
    expect(sim.file(id).fields.status).toBe('working');
    expect(sim.task(id).claims).toBeNull();
    expect(sim.history(id).at(-1)).toMatchObject({
      type: 'frontmatter.rejected',
      field: 'status',
      value: 'done',
      reason: 'not-for-agents',
    });
  });

  it('is not judged while the file is still being written', () => {
    const { sim, id } = atWork();
    sim.write(id, { fields: { status: 'done' } });
    const before = sim.history(id);
    sim.look(id);
    expect(sim.history(id)).toEqual(before);
    expect(sim.file(id).fields.status).toBe('done');
  });

  it('ORA-40 finds the Context restored, once', () => {
    const { sim, id } = atWork();
    sim.writeAndSettle(id, { Context: 'Red is fine.' });
    sim.settle(id);
    sim.settle(id);
    expect(sim.file(id).sections.Context).toBe('Blue, please.');
    expect(eventsOf(sim.history(id), 'context.restored')).toHaveLength(1);
  });

  it('ORA-40 finds a Context of its own taken out, once', () => {
    const sim = new Simulation(buildWorld());
    const id = sim.create();
    sim.carryOut();
    sim.writeAndSettle(id, { Context: 'My own rules.' });
    sim.settle(id);
    sim.settle(id);
    expect(sim.file(id).sections.Context).toBeUndefined();
    expect(Object.entries(sim.file(id).transcripts)).toEqual([
      [expect.stringMatching(/^context-refused-\d{17}\.md$/), 'My own rules.'],
    ]);
    expect(eventsOf(sim.history(id), 'context.restored')).toHaveLength(1);
  });

  it('keeps its own keys and its summary', () => {
    const { sim, id } = atWork();
    sim.write(id, { fields: { summary: 'Clearer' }, extensions: { colour: ['blue', 'red'] } });
    sim.settle(id);
    expect(sim.task(id)).toMatchObject({
      fields: { summary: 'Clearer' },
      extensions: { colour: ['blue', 'red'] },
    });
    expect(sim.history(id).at(-1)).toMatchObject({
      type: 'task.updated',
      fields: ['summary', 'colour'],
      by: 'file',
    });
  });

  it('cannot take the task back by saving an old copy', () => {
    const { sim, id } = atWork();
    const copy = sim.file(id);
    sim.elapsedMs += 1;
    sim.ask({ kind: 'task.update', taskId: id, summary: 'What the user wants' });
    sim.ask({ kind: 'task.update', taskId: id, status: 'clarification' }, 'agent');
    sim.overwrite(id, copy);
    sim.settle(id);
    expect(sim.file(id).fields).toMatchObject({
      status: 'clarification',
      summary: 'What the user wants',
    });
    const rejected = eventsOf(sim.history(id), 'frontmatter.rejected');
    expect(rejected.map(({ field, reason }) => [field, reason])).toEqual([
      ['summary', 'stale copy'],
      ['status', 'stale copy'],
    ]);
  });

  it('cannot pass a closed plan gate by asking a question first', () => {
    const sim = new Simulation(buildWorld());
    const id = sim.create({ extensions: { gates: { plan: 'human' } } });
    sim.carryOut();
    sim.writeAndSettle(id, { Plan: 'APPROACH: mine' });
    expect(sim.task(id).fields.status).toBe('planning');
    sim.ask({ kind: 'task.update', taskId: id, status: 'clarification' }, 'agent');
    sim.ask({ kind: 'task.update', taskId: id, status: 'working' }, 'agent');
    expect(sim.task(id).fields.status).toBe('clarification');
    expect(sim.failures).toMatchObject([{ because: { kind: 'gate-closed', gate: 'plan' } }]);
    sim.ask({ kind: 'task.update', taskId: id, status: 'working' });
    expect(sim.task(id).fields.status).toBe('working');
  });
});

describe('a user who edits the file of a waiting task', () => {
  it('ORA-26 ORA-27 has it as written', () => {
    const sim = new Simulation(buildWorld());
    const id = sim.create({ extensions: { hold: 'not spawned' } });
    const fields = { harness: 'codex', review_harness: 'codex', branch: 'night' };
    sim.write(id, { fields, extensions: { priority: 'high' }, sections: { Context: 'Mine.' } });
    sim.settle(id);
    expect(sim.task(id)).toMatchObject({
      fields,
      extensions: { hold: 'not spawned', priority: 'high' },
      context: 'Mine.',
    });
    expect(eventsOf(sim.history(id), 'frontmatter.rejected')).toEqual([]);
  });

  it('ORA-28 still asks for a status, and is refused like anyone else', () => {
    const sim = new Simulation(buildWorld());
    const id = sim.create({ extensions: { hold: 'not spawned' } });
    sim.write(id, { fields: { status: 'done' } });
    sim.settle(id);
    expect(sim.file(id).fields.status).toBe('pending');
  });
});
