export const RISKS = ['None', 'Low', 'Medium', 'High', 'Critical'] as const;
export type Risk = (typeof RISKS)[number];

export type RiskAssessment = {
  readonly files: Risk;
  readonly lines: Risk;
  readonly conflicts: Risk;
  readonly overall: Risk;
};

/** What `task finalize` found out about a task's work. */
export type Finalization = {
  readonly ready: boolean;
  readonly risk: Risk;
  /** What to do with it, e.g. `careful-review`. */
  readonly action: string;
  readonly files: number;
  readonly lines: number;
  readonly conflicts: number;
  /** The first of the files in conflict. */
  readonly conflicting: readonly string[];
  /** Commits of the base that the branch lacks. */
  readonly behind: number;
  /** The commit of the branch that was looked at. */
  readonly head: string;
};

/** How dangerous a merge is: the worst of its size in files and lines, and of its conflicts. */
export function assessRisk(change: {
  readonly files: number;
  readonly lines: number;
  readonly conflicts: number;
}): RiskAssessment {
  const files = rate(change.files, [5, 15, 30]);
  const lines = rate(change.lines, [99, 500, 1000]);
  const conflicts = rateConflicts(change.conflicts);
  return { files, lines, conflicts, overall: worst([files, lines, conflicts]) };
}

/** The risk in a few characters, with a mark whether it can be merged: `risk Low ✓`. */
export function labelRisk({ ready, risk }: Pick<Finalization, 'ready' | 'risk'>): string {
  return `risk ${risk} ${ready ? '✓' : '✗'}`;
}

export function actionFor(risk: Risk): string {
  return ACTIONS[risk];
}

const ACTIONS: Readonly<Record<Risk, string>> = {
  None: 'auto-merge',
  Low: 'auto-merge',
  Medium: 'review-then-merge',
  High: 'careful-review',
  Critical: 'senior-review',
};

/** The most that is still low, medium and high. */
type Bounds = readonly [low: number, medium: number, high: number];

function rate(count: number, [low, medium, high]: Bounds): Risk {
  if (count <= low) return 'Low';
  if (count <= medium) return 'Medium';
  return count <= high ? 'High' : 'Critical';
}

function rateConflicts(count: number): Risk {
  if (count === 0) return 'None';
  if (count <= 3) return 'Low';
  return count <= 10 ? 'Medium' : 'High';
}

function worst(risks: readonly Risk[]): Risk {
  return RISKS.findLast((risk) => risks.includes(risk)) ?? 'None';
}
