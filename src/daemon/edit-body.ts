import type { SectionEdit } from '../domain/decision.js';
import { formatItem } from '../record/questions.js';
import { appendToSection, removeSection, setSection } from '../record/sections.js';

/** A body with the sections edited; every other byte stays. */
export function editBody(body: string, edits: readonly SectionEdit[]): string {
  return edits.reduce(editSection, body);
}

function editSection(body: string, edit: SectionEdit): string {
  switch (edit.kind) {
    case 'set':
      return setSection(body, edit.section, edit.text);
    case 'append':
      return appendToSection(body, edit.section, formatItem(edit.label, edit.text));
    case 'move-out':
      return removeSection(body, edit.section).body;
  }
}
