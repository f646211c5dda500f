import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const STAND_IN = fileURLToPath(new URL('../fixtures/gh-stand-in', import.meta.url));
const REPOSITORY = 'github.com/acme/shop';

type Pull = {
  headRefOid: string;
  title: string;
  body: string;
  isDraft: boolean;
  checks: readonly object[];
  reviews: readonly object[];
  comments: readonly object[];
  lineComments: readonly object[];
};
type State = {
  repository: string;
  remote: string;
  isLoggedIn: boolean;
  trouble: { readonly message: string; readonly code: number } | null;
  pulls: Pull[];
};

/** A GitHub of one repository, whose branches are those of a bare repository, and its gh. */
export type GithubRig = {
  /** What a process needs to find this gh. */
  readonly env: Readonly<Record<string, string>>;
  /** What the person's git configuration needs, so that GitHub's address leads to the bare one. */
  readonly gitConfig: string;
  readonly remoteUrl: string;
  pull(number: number): Pull;
  calls(): readonly string[];
  change(edit: (state: State) => void): void;
  /** What somebody does on GitHub itself. */
  gh(...argv: readonly string[]): void;
};

export function createGithubRig(directory: string, remote: string): GithubRig {
  const path = join(directory, 'github.json');
  const first: State = {
    repository: REPOSITORY,
    remote,
    isLoggedIn: true,
    trouble: null,
    pulls: [],
  };
  const read = (): State => JSON.parse(readFileSync(path, 'utf8'));
  const write = (state: State): void => writeFileSync(path, JSON.stringify(state));
  write(first);
  const env = {
    PATH: `${STAND_IN}:${process.env['PATH'] ?? ''}`,
    GH_STAND_IN_STATE: path,
  };
  return {
    env,
    gitConfig: `[url "${remote}"]\n\tinsteadOf = https://${REPOSITORY}.git\n`,
    remoteUrl: `https://${REPOSITORY}.git`,
    pull: (number) => {
      const pull = read().pulls[number - 1];
      if (pull === undefined) throw new Error(`there is no pull request ${number}`);
      return pull;
    },
    calls: () => readFileSync(`${path}.calls`, 'utf8').split('\n').slice(0, -1),
    change: (edit) => {
      const state = read();
      edit(state);
      write(state);
    },
    gh: (...argv) => {
      const quiet = { GH_PROMPT_DISABLED: '1' };
      execFileSync('gh', argv, { env: { ...process.env, ...env, ...quiet }, stdio: 'pipe' });
    },
  };
}
