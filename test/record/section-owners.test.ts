import { expect, it } from 'vitest';
import { artifactsOf, readSections } from '../../src/record/sections.js';

const BODY = `
## Context

Do it.

## Questions

- Which colour?

## Plan

APPROACH: Carefully

## Handoff

DONE: All of it
`;

it('ORA-41 reads the questions that an agent asks', () => {
  expect(readSections(BODY).sections.Questions?.trim()).toBe('- Which colour?');
});

it('ORA-42 a body without a Plan lets no work begin', () => {
  expect(artifactsOf(readSections(BODY).sections).hasValidPlan).toBe(true);
  const without = BODY.replace('## Plan', '## Planning');
  expect(artifactsOf(readSections(without).sections).hasValidPlan).toBe(false);
});

it('ORA-43 reads the Handoff that the next session goes on from', () => {
  const { sections } = readSections(BODY);
  expect(sections.Handoff?.trim()).toBe('DONE: All of it');
  expect(artifactsOf(sections).hasValidHandoff).toBe(true);
});

it('ORA-61 lets free-form feedback follow the verdict', () => {
  const body = '\n## Review\n\nVerdict: FAIL\n\n### Findings\n\n- src/a.ts:3 has **no** label\n';
  const { sections } = readSections(body);
  expect(artifactsOf(sections).verdict).toBe('FAIL');
  expect(sections.Review).toContain('- src/a.ts:3 has **no** label');
});
