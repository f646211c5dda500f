/** A registered repository, as it stands in projects.json. */
export type Project = {
  readonly name: string;
  readonly path: string;
  readonly default_branch: string;
  readonly pool_size: number;
  /** SHA-256 of the orange.yaml that the user trusts; absent while none is trusted. */
  readonly trusted?: string;
};

export const DEFAULT_POOL_SIZE = 2;
