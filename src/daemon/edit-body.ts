import type { SectionEdit } from '../domain/decision.js';
import { removeSection, setSection } from '../record/sections.js';

/** A body with the sections edited; every other byte stays. */
export function editBody(body: string, edits: readonly SectionEdit[]): string {
  return edits.reduce(editSection, body);
}

function editSection(body: string, edit: SectionEdit): string {
  return edit.kind === 'set'
    ? setSection(body, edit.section, edit.text)
    : removeSection(body, edit.section).body;
}
