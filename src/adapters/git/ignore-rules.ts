import { dirname, join, resolve } from 'node:path';
import type { Result } from '../../domain/result.js';
import { success } from '../../domain/result.js';
import type { Files } from '../../ports.js';
import type { GitContext, IgnoreRules } from './git-context.js';
import { findCommonDirectory } from './git-context.js';
import type { Worktree } from './worktree-state.js';

const MAX_RULES_BYTES = 1024 * 1024;
const MAX_LINKS = 8;
/** Settings that git itself writes all the time, and that have no say in what it ignores. */
const UNCONCERNED = /^\s*\[\s*(?:branch|remote)\b/i;

/** What lies outside of a worktree and decides what git ignores in it; null where that cannot be told. */
export async function readIgnoreRules(
  context: GitContext,
  repository: string,
  { path: directory, gitDirectory }: Worktree,
): Promise<Result<IgnoreRules | null>> {
  const { git, files } = context;
  const common = await findCommonDirectory(context, repository);
  if (!common.ok) return common;
  const listing = ['config', '--includes', '--show-origin', '--name-only', '-z', '--list'];
  const listed = await git.list({ directory, argv: listing });
  if (!listed.ok) return listed;
  const asking = ['config', '--includes', '--type=path', '--get', 'core.excludesFile'];
  const asked = await git.run({ directory, argv: asking });
  if (!asked.ok) return asked;
  const named = asked.value.stdout.replace(/\n$/, '');
  const origins = listed.value
    .filter((field) => field.startsWith('file:'))
    .map((field) => field.slice('file:'.length));
  const settings = [
    join(common.value, 'config'),
    join(gitDirectory, 'config.worktree'),
    ...context.personalFiles.settings,
    ...origins.map((origin) => resolve(directory, origin)),
  ];
  const patterns = [
    join(common.value, 'info/exclude'),
    named === '' ? context.personalFiles.ignore : resolve(directory, named),
  ];
  const places = { settings: [...new Set(settings)], patterns };
  const text = textOf(files, places);
  return success(text === null ? null : { ...places, text });
}

export function areRulesSame({ files }: GitContext, rules: IgnoreRules): boolean {
  return textOf(files, rules) === rules.text;
}

function textOf(files: Files, places: Omit<IgnoreRules, 'text'>): string | null {
  const texts = [
    ...places.settings.map((path) => leaveUnconcerned(readThrough(files, path))),
    ...places.patterns.map((path) => readThrough(files, path)),
  ];
  return texts.includes(null) ? null : JSON.stringify(texts);
}

function leaveUnconcerned(text: string | null): string | null {
  if (text === null) return null;
  const sections = text.split(/^(?=\s*\[)/m);
  return sections.filter((section) => !UNCONCERNED.test(section)).join('');
}

/** The text of a file, also behind links; nothing where there is none, null where it cannot be told. */
function readThrough(files: Files, path: string, links = 0): string | null {
  const state = files.stat(path);
  if (!state.ok || links > MAX_LINKS) return null;
  switch (state.value.kind) {
    case 'file': {
      const read = files.readText(path, MAX_RULES_BYTES, 'lossy');
      return read.ok ? read.value.text : null;
    }
    case 'link':
      return readThrough(files, resolve(dirname(path), state.value.target), links + 1);
    case 'absent':
    case 'directory':
    case 'special':
      return '';
  }
}
