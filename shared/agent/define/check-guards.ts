import { builtInGuards } from '../guardrails/built-in.ts';
import type { AnyGuard } from '../guardrails/guard.ts';
import type { GuardName } from '../guardrails/guard-codes.ts';
import { notRising } from '../guardrails/loops/counts.ts';
import type { Tool } from '../tools/tool.ts';

/** Guards that agents have through their tools: other guards may not have these names. */
const gates: readonly GuardName[] = ['compile', 'command', 'tasks'];

type Guarded = Parameters<typeof builtInGuards>[0] & {
  readonly tools: readonly Tool[];
  readonly guards: readonly AnyGuard[];
};

/** Errors in an agent's guards and their settings, worst first. */
export function wrongGuards(agent: Guarded): string[] {
  const names = [
    ...[...builtInGuards(agent), ...agent.guards].map((guard) => guard.name),
    ...(agent.answer ? ['answer'] : []),
    ...gates,
  ];
  const taken = names.find((name, i) => names.indexOf(name) !== i);
  return [
    ...notRising(agent.guardrails.loop.counts, agent.tools),
    ...(taken === undefined
      ? []
      : [`two guards are named ${taken}; rename one, because a guard's state is stored under its name`]),
  ];
}
