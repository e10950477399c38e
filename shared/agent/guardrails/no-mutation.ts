import type * as z from 'zod';
import { texts } from '../texts.ts';
import { isShell, type ToolFacts } from '../tools/facts.ts';
import { classify } from './classify.ts';
import { defineGuard } from './guard.ts';
import type { NoMutation } from './loop-config.ts';
import { type LoopScope, loopNudge, loopState } from './loop-guard.ts';
import type { asksForChanges } from './verification.ts';

type Config = z.output<typeof NoMutation>;

/**
 * Asks a run that only looks around to act, then orders it to, then at every step (U1f, H11). Only where the run is to
 * change something and has a tool for it: else tasks that only read would be pushed into edits.
 *
 * @param asked whether the completion contract asks for changes
 */
export const noMutationGuard = (
  { levels, when, once }: Config,
  asked: ReturnType<typeof asksForChanges>,
  scope: LoopScope,
) =>
  defineGuard<{ steps: number; said: boolean }>({
    name: 'no_mutation',
    ...loopState(once ? 'session' : scope),
    initial: { steps: 0, said: false },
    hooks: {
      batch: (state, { done, tools }) => {
        const acted = done.some(
          ({ call, result, tool }) => result.outcome === 'ok' && changes(call.name, tool),
        );
        if (acted) return { state: { ...state, steps: 0 } };
        const steps = state.steps + 1;
        const level = levels.filter((at) => steps >= at).length;
        const meant = asked === 'yes' || (when === 'offered' && asked === 'open');
        const silent = level === 0 || !meant || !tools.some((tool) => changes(tool.name, tool));
        if (silent || (once && state.said)) return { state: { ...state, steps } };
        const text = texts.noMutation(steps, level);
        const again = state.said && steps > (levels.at(-1) ?? 0);
        return { state: { steps, said: true }, verdict: loopNudge(`no_mutation_${level}`, text, again) };
      },
    },
  });

/** A shell may change anything, but that it ran proves nothing. */
const changes = (name: string, tool: ToolFacts | undefined): boolean =>
  classify(name, tool?.effect ?? 'unknown') === 'mutating' && !isShell(name, tool);
