import type * as z from 'zod';
import type { Reads } from '../../config/loop.ts';
import { guardTexts } from '../../texts/guards.ts';
import { builtIn } from '../guard-codes.ts';
import { readsFiles } from './classify.ts';
import { type LoopScope, loopNudge, loopState } from './loop-guard.ts';

type Config = z.output<typeof Reads>;

/**
 * Limits the reads, listings and searches of a run. From the middle on every request says how many are left, whatever else it
 * says. One read more is refused, and the run goes on. A refusal is not an error: it does not count as a failed tool.
 */
export const readsGuard = ({ budget, warnFrom }: Config, scope: LoopScope) =>
  builtIn<'reads', { reads: number; told: boolean }>({
    name: 'reads',
    ...loopState(scope),
    initial: { reads: 0, told: false },
    hooks: {
      call: (state, { call, effect }) => {
        if (!readsFiles(call.name, effect)) return undefined;
        if (budget === 0 || state.reads < budget) return { state: { ...state, reads: state.reads + 1 } };
        const message = `All ${budget} reads of this run are used.`;
        const metadata = { tool: call.name, count: state.reads, limits: { budget } };
        const result = guardTexts.readsRefused(message);
        return { verdict: { kind: 'block', code: 'read_budget', message, metadata, result } };
      },
      inject: (state) => {
        if (budget === 0 || state.reads < budget * warnFrom || state.reads >= budget) return undefined;
        const text = guardTexts.readsLeft(state.reads, budget - state.reads);
        const metadata = { count: state.reads, limits: { budget } };
        const verdict = { ...loopNudge('reads_left', text, state.told, metadata), beside: true } as const;
        return state.told ? { verdict } : { state: { ...state, told: true }, verdict };
      },
    },
  });
