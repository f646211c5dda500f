/** What can go wrong on the way to GitHub, which nothing but pull requests needs. */
export type GithubFailure =
  | { readonly kind: 'pr-missing'; readonly task?: string }
  /** Nothing new has been said on the pull request. */
  | { readonly kind: 'no-feedback' }
  | { readonly kind: 'push-rejected'; readonly branch: string }
  | {
      readonly kind: 'github-unavailable';
      readonly reason:
        | 'no-gh'
        | 'gh-too-old'
        | 'not-logged-in'
        | 'no-remote'
        | 'not-github'
        | 'unreachable'
        | 'rate-limited'
        | 'no-access';
      /** The host, the remote's address, the repository, or what GitHub said; may be empty. */
      readonly where: string;
    };
