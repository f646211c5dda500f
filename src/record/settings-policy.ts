import { RUNGS } from '../domain/attention.js';
import { GATE_MODES, type GateMode } from '../domain/extensions.js';
import { AFTER_INTERRUPTION, type GateName, type Policy } from '../domain/settings.js';
import {
  decimal,
  DECIMALS,
  FLAG,
  join,
  oneOf,
  TEXTS,
  wholeNumber,
  type Kind,
  type SettingsReader,
} from './settings-reader.js';

const GATES: readonly GateName[] = ['start', 'plan', 'review', 'merge'];
const WEIGHTS = ['trivial', 'small', 'medium', 'large', 'greenfield'];

/** Reads the `policy` map over a base. */
export function readPolicy(reader: SettingsReader, node: unknown, base: Policy): Policy {
  const section = reader.section(node, 'policy', POLICY_KEYS);
  const gates = reader.section(section.node('gates'), 'policy.gates', [
    ...GATES,
    'weight_overrides',
  ]);
  const reservations = reader.section(section.node('reservations'), 'policy.reservations', [
    'mode',
    'ttl_minutes',
  ]);
  const checks = reader.section(section.node('checks'), 'policy.checks', [
    'handoff',
    'merge',
    'timeout_minutes',
  ]);
  return {
    gates: mapGates((gate) => gates.read(gate, oneOf(GATE_MODES), base.gates[gate])),
    weightOverrides: readOverrides(reader, gates.node('weight_overrides'), base.weightOverrides),
    crashLimit: section.read('crash_limit', wholeNumber(1, 1000), base.crashLimit),
    autoRespawn: section.read('auto_respawn', FLAG, base.autoRespawn),
    afterInterruption: section.read(
      'after_interruption',
      oneOf(AFTER_INTERRUPTION),
      base.afterInterruption,
    ),
    respawnBackoffSeconds: section.read(
      'respawn_backoff_seconds',
      DECIMALS,
      base.respawnBackoffSeconds,
    ),
    maxReviewRounds: section.read('max_review_rounds', wholeNumber(1, 1000), base.maxReviewRounds),
    settleMs: section.read('settle_ms', wholeNumber(0, 600_000), base.settleMs),
    advanceHandoff: reader
      .section(section.node('advance'), 'policy.advance', ['handoff'])
      .read('handoff', oneOf(['settled', 'exit'] as const), base.advanceHandoff),
    stallMinutes: section.read('stall_minutes', LADDER, base.stallMinutes),
    reservations: {
      mode: reservations.read('mode', oneOf(['warn', 'block'] as const), base.reservations.mode),
      ttlMinutes: reservations.read('ttl_minutes', decimal(0), base.reservations.ttlMinutes),
    },
    checks: {
      handoff: checks.read('handoff', TEXTS, base.checks.handoff),
      merge: checks.read<readonly string[] | null>('merge', TEXTS, base.checks.merge),
      timeoutMinutes: checks.read('timeout_minutes', decimal(0.01), base.checks.timeoutMinutes),
    },
  };
}

/** The three steps from silence to stall, in minutes, each later than the one before. */
const LADDER: Kind<readonly number[]> = {
  wants:
    'up to three numbers, none smaller than the one before, e.g. [10, 15, 20]; 0 leaves one out',
  read: (node) => {
    const minutes = DECIMALS.read(node);
    const steps = minutes?.filter((step) => step > 0) ?? [];
    const goesUp = steps.every((step, index) => step >= (steps[index - 1] ?? 0));
    return goesUp && (minutes?.length ?? 0) <= RUNGS.length ? minutes : undefined;
  },
};

const POLICY_KEYS = [
  'gates',
  'crash_limit',
  'auto_respawn',
  'after_interruption',
  'respawn_backoff_seconds',
  'max_review_rounds',
  'settle_ms',
  'advance',
  'stall_minutes',
  'reservations',
  'checks',
];

function mapGates(read: (gate: GateName) => GateMode): Readonly<Record<GateName, GateMode>> {
  return { start: read('start'), plan: read('plan'), review: read('review'), merge: read('merge') };
}

function readOverrides(
  reader: SettingsReader,
  node: unknown,
  base: Policy['weightOverrides'],
): Policy['weightOverrides'] {
  const path = 'policy.gates.weight_overrides';
  const section = reader.section(node, path, WEIGHTS);
  const overrides: Record<string, Partial<Record<GateName, GateMode>>> = { ...base };
  for (const weight of WEIGHTS.filter((name) => section.pair(name) !== undefined)) {
    const modes = reader.section(section.node(weight), join(path, weight), GATES);
    const override: Partial<Record<GateName, GateMode>> = { ...base[weight] };
    for (const gate of GATES) {
      const mode = modes.read<GateMode | null>(gate, oneOf(GATE_MODES), override[gate] ?? null);
      if (mode !== null) override[gate] = mode;
    }
    overrides[weight] = override;
  }
  return overrides;
}
