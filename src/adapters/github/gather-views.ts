import { setTimeout as delay } from 'node:timers/promises';
import type { PullRequest } from '../../domain/pull-request.js';
import { failed, success, type Result } from '../../domain/result.js';

type Views = {
  one(url: string): Promise<Result<PullRequest>>;
  /** Those that are found, of several. */
  all(urls: readonly string[]): Promise<Result<readonly PullRequest[]>>;
};

type Batch = {
  readonly urls: Set<string>;
  readonly answer: Promise<Result<readonly PullRequest[]>>;
};

/** Asks for pull requests that are wanted at about the same time together. */
export function gatherViews(views: Views): (url: string) => Promise<Result<PullRequest>> {
  let open: Batch | null = null;
  const begin = (): Batch => {
    const urls = new Set<string>();
    const answer = delay(GATHER_MS).then(() => {
      open = null;
      return askFor(views, [...urls]);
    });
    return { urls, answer };
  };
  return async (url) => {
    open ??= begin();
    open.urls.add(url);
    const seen = await open.answer;
    if (!seen.ok) return seen;
    const found = seen.value.find((pullRequest) => pullRequest.url === url);
    return found === undefined
      ? failed({ kind: 'not-found', what: 'pull request', name: url })
      : success(found);
  };
}

/** A call takes far longer. */
const GATHER_MS = 40;

async function askFor(
  views: Views,
  urls: readonly string[],
): Promise<Result<readonly PullRequest[]>> {
  const [first, ...more] = urls;
  if (first === undefined || more.length > 0) return views.all(urls);
  const seen = await views.one(first);
  return seen.ok ? success([seen.value]) : seen;
}
