import { isRecord, merge } from '../plain/merge.ts';
import { nearest } from '../plain/nearest.ts';
import { once } from '../plain/once.ts';
import { Approvals, byTool } from './approvals.ts';
import { Guardrails, type GuardrailsInput } from './guardrails.ts';
import { Limits, type LimitsInput } from './limits.ts';
import { type Preset, type PresetName, presets } from './presets.ts';

/** How a definition configures its guards: a preset's name, or its own keys on top of a preset's. */
export type GuardrailsOption = PresetName | (GuardrailsInput & { readonly preset?: PresetName });

/**
 * Merges a preset's values under a definition's own: every key that the definition sets itself wins. A value that is neither a
 * preset nor an object is left for the schema to refuse. Presets do not set approvals.
 *
 * @throws if no preset has that name
 */
export function withPreset<
  D extends { readonly guardrails?: unknown; readonly limits?: unknown; readonly approvals?: unknown },
>(definition: D): D {
  const { guardrails = {}, limits = {}, approvals } = definition;
  const { preset: name = 'default', ...own } =
    typeof guardrails === 'string' ? { preset: guardrails } : isRecord(guardrails) ? guardrails : {};
  const preset = presetOf(name);
  const under = turnsLoopOff(own)
    ? merge(preset.guardrails, { time: { activeTurnSeconds: 0 } })
    : preset.guardrails;
  return {
    ...definition,
    guardrails: isRecord(guardrails) || typeof guardrails === 'string' ? merge(under, own) : guardrails,
    limits: merge(preset.limits, limits),
    ...(approvals === 'by_tool' && { approvals: byTool }),
  };
}

/** With loop guards off, the time that a preset sets for them is off too. A value that the definition sets itself stays. */
const turnsLoopOff = ({ loop }: Readonly<Record<string, unknown>>): boolean =>
  isRecord(loop) && loop.enabled === false;

/** A stored definition, with values filled in for keys of guards and limits that an older version did not know. */
export const withStored = <
  P extends { readonly guardrails: Guardrails; readonly limits: Limits; readonly approvals: Approvals },
>(
  pinned: P,
): P => ({
  ...pinned,
  guardrails: merge(merge(defaults, before), pinned.guardrails),
  limits: merge(merge(defaultLimits, limitsBefore), pinned.limits),
  approvals: merge(defaultApprovals, pinned.approvals),
});

const defaults = Guardrails.parse({}, once);
/** The behaviour of guards for sessions that were pinned before these keys existed: a deploy does not change their rules. */
const before = {
  loop: {
    window: { approval: 'never' },
    news: 'counted',
    cycles: { advise: 0, refuse: 0, halt: 0, poll: { advise: 0, refuse: 0, halt: 0 } },
    changes: { advise: 0, refuse: 0, halt: 0 },
    failures: { advise: 0, halt: 0 },
  },
  intent: { total: 0 },
  time: { soft: 0 },
  injections: { budgetTokens: 0 },
} satisfies GuardrailsInput;
const defaultLimits = Limits.parse({}, once);
/** The same for limits. */
const limitsBefore = { maxFailuresInARow: 0, batchWindowShare: 0 } satisfies LimitsInput;
const defaultApprovals = Approvals.parse({}, once);

function presetOf(name: unknown): Preset {
  const known: Readonly<Record<string, Preset>> = presets;
  const preset = typeof name === 'string' && Object.hasOwn(known, name) ? known[name] : undefined;
  if (preset) return preset;
  const guess = nearest(String(name), Object.keys(presets));
  throw new Error(
    `guardrails: there is no preset "${String(name)}"${guess ? `, did you mean "${guess}"?` : ''} Presets: ${Object.keys(presets).join(', ')}.`,
  );
}
