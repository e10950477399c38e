import type { Spoken } from './guardrails/guard.ts';
import type { Meter } from './ports.ts';

/** Counts what guards said in a committed step. Names and codes only, never a text. */
export function measure(meter: Meter, agent: string, spoken: readonly Spoken[]): void {
  for (const { guard, kind, code, unsaid } of spoken)
    if (!unsaid) meter.verdict({ agent, guard, action: kind, code });
}
