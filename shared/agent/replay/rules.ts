import { Guardrails } from '../config/guardrails.ts';
import { Limits } from '../config/limits.ts';
import type { PresetName } from '../config/presets.ts';
import { withPreset } from '../config/resolve.ts';
import type { Pinned } from '../session/pinned.ts';

/** A session's definition with the guardrails and limits of a preset in place of its own. */
export function underPreset(pinned: Pinned, preset: PresetName): Pinned {
  const { guardrails, limits } = withPreset<{ readonly guardrails?: unknown; readonly limits?: unknown }>({
    guardrails: preset,
  });
  return { ...pinned, guardrails: Guardrails.parse(guardrails), limits: Limits.parse(limits) };
}
