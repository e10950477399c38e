import { type ToolFacts, toolOf } from '../../session/facts.ts';
import type { AnyGuard, Done, Observed, Stages } from '../guard.ts';
import { confirms } from './outcome.ts';

type Batch = Stages['batch']['seen'];

/** Whether equal calls of a tool mean nothing, by its declaration. */
const isFree = (tool: ToolFacts | undefined): boolean => tool?.repeats === 'free';

/** Whether a call that is over is no evidence for loop guards: its tool repeats freely, or its result only confirms it. */
export const isNoEvidence = ({ result, tool }: Pick<Done, 'result' | 'tool'>): boolean =>
  isFree(tool) || confirms(result, tool);

/**
 * Whether nothing in a batch is evidence of a repetition: free calls, mere confirmations, and calls that report progress
 * (`markProgress`).
 */
export const repeatsFreely = ({ calls, done, tools }: Pick<Batch, 'calls' | 'done' | 'tools'>): boolean =>
  calls.every((call) => {
    const one = done.find((over) => over.call.id === call.id);
    return one ? isNoEvidence(one) || one.result.progress !== undefined : isFree(toolOf(tools, call));
  });

/** The loop guard, which does not see calls that are no evidence (docs/tools.md, "Repetition"). */
export function heedingDeclarations(guard: AnyGuard): AnyGuard {
  const { call, result, batch } = guard.hooks;
  return {
    ...guard,
    hooks: {
      ...guard.hooks,
      ...(call && {
        call: (state, seen, settings) => (isFree(seen.tool) ? undefined : call(state, seen, settings)),
      }),
      ...(result && {
        result: (state, seen, settings) => (isNoEvidence(seen) ? undefined : result(state, seen, settings)),
      }),
      ...(batch && {
        batch: (state, seen, settings) => {
          const left = evidenceIn(seen);
          return left.calls.length === 0 ? undefined : batch(state, left, settings);
        },
      }),
    },
  };
}

function evidenceIn(seen: Observed & Batch): Observed & Batch {
  const { calls, done, tools } = seen;
  const over = new Map(done.map((one) => [one.call.id, one]));
  const left = calls.filter((call) => {
    const one = over.get(call.id);
    return !(one ? isNoEvidence(one) : isFree(toolOf(tools, call)));
  });
  if (left.length === calls.length) return seen;
  return { ...seen, calls: left, done: done.filter((one) => !isNoEvidence(one)) };
}
