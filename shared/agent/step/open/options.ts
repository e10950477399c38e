import type { Agent } from '../../define/agent.ts';
import type { DeployedSkill } from '../../skills/skill.ts';

/** How a step is run. */
export interface StepOptions {
  readonly agentOf: (name: string) => Agent | undefined;
  /** The deployed skills of these names. Rejects with a sentence if one is not deployed. None are when absent. */
  readonly skillsOf?: (names: readonly string[]) => Promise<readonly DeployedSkill[]>;
  /** Time in ms for which a step owns its session without a heartbeat (docs/design.md: 60,000). */
  readonly leaseMs: number;
  /** Bytes of JSON of committed slots above which a step packs them; `PACK_ABOVE` when absent. */
  readonly packAbove?: number;
  /** Set to end the run instead of continuing it, because its wakes keep dying before any step can claim. */
  readonly abandon?: boolean;
}
