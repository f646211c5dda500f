import type { Diagnostic } from '../domain/diagnostic.js';

/** Every rule that orange's own files are checked against. A code keeps its meaning for ever. */
export const DIAGNOSTIC_RULES = {
  ORA001: 'The file is a regular file, not a link, pipe, directory or device.',
  ORA002: 'The file is at most 256 KiB.',
  ORA003: 'The file is UTF-8 text without NUL.',
  ORA004: 'The file exists and can be read.',
  ORA005: 'The file says something.',
  ORA006: 'The folder of a task has its TASK.md.',
  ORA010: 'The first line is exactly `---`.',
  ORA011: 'The frontmatter ends with a line that is exactly `---`.',
  ORA012: 'The frontmatter is at most 16 KiB.',
  ORA013: 'The frontmatter has no run of more than three blank lines.',
  ORA014: 'The frontmatter has no control characters.',
  ORA015: 'No frontmatter line begins with `---`.',
  ORA016: 'The frontmatter is valid YAML.',
  ORA017: 'The frontmatter has no anchors, aliases or tags.',
  ORA018: 'The frontmatter is not nested deeply and has a reasonable number of values.',
  ORA019: 'Each key stands once.',
  ORA020: 'The frontmatter is a list of `key: value` lines that start in the first column.',
  ORA021: 'The key `__proto__` is not read.',
  ORA030: '`id` and `project` are given, or known from where the file lies.',
  ORA031: '`id` and `project` agree with the directory.',
  ORA032: 'Each of the fourteen fields is a single text or number.',
  ORA033: '`status` is one of the nine statuses.',
  ORA034: '`review_round` and `crash_count` are whole numbers.',
  ORA035: '`created_at` and `updated_at` are ISO 8601 times.',
  ORA036: '`id` and `project` are names that are safe as a directory.',
  ORA037: 'A known extension key has one of its values.',
  ORA038: '`blocked_by` and `related_to` name tasks that exist.',
  ORA040: 'Each section stands once.',
  ORA041: 'A Plan has APPROACH or TOUCHING with content.',
  ORA042: 'A Handoff has DONE, REMAINING, DECISIONS or UNCERTAIN with content.',
  ORA043: 'A Review begins with `Verdict: PASS` or `Verdict: FAIL`.',
  ORA044: 'A field that is written has content.',
  ORA045: 'TOUCHING names paths inside the repository.',
  ORA050: 'The verdict is plain text, neither bold nor a heading.',
  ORA051: 'The verdict is the word PASS or FAIL.',
  ORA052: 'A section begins with a level-2 heading of its exact name.',
  ORA053: 'Field names are in capitals.',
  ORA054: 'A field begins its line, without bullet or bold.',
  ORA055: 'A section does not stand inside a code fence.',
  ORA056: 'Each code fence is closed.',
  ORA060: 'Each line of history.jsonl is a JSON object with `type` and `timestamp`.',
  ORA061: 'The last line of history.jsonl is complete.',
  ORA062: 'history.jsonl can be read.',
  ORA063: 'history.jsonl is that of the task whose folder it lies in.',
  ORA070: 'The file is valid JSON.',
  ORA071: 'The file has the documented keys and kinds of values.',
  ORA080: 'The settings are valid YAML without aliases.',
  ORA081: 'Each settings key is known.',
  ORA082: 'Each setting has a valid value.',
  ORA083: 'Settings of a project that name commands take effect once it is trusted.',
  ORA090: 'An outbox entry is complete.',
  ORA091: 'What an outbox entry owes to a history can be written.',
  ORA092: 'The files of a task take what has happened to it.',
  ORA095: 'orange can deal with the task; if not, that is a bug of its own.',
} as const;

export type DiagnosticCode = keyof typeof DIAGNOSTIC_RULES;

/** Where a finding is, and what to say about it. */
export type Finding = {
  readonly file: string;
  readonly line: number;
  readonly message: string;
  readonly fix: string;
};

export function errorAt(code: DiagnosticCode, finding: Finding): Diagnostic {
  return { code, severity: 'error', ...finding };
}

export function warningAt(code: DiagnosticCode, finding: Finding): Diagnostic {
  return { code, severity: 'warning', ...finding };
}
