import type * as z from 'zod';
import type { Loop } from '../../config/loop.ts';
import { isShell, outputOf } from '../../session/facts.ts';
import { guardTexts } from '../../texts/guards.ts';
import type { Done } from '../guard.ts';
import { builtIn } from '../guard-codes.ts';
import { classify } from './classify.ts';
import { resultKey } from './fingerprint.ts';
import { type LoopScope, loopHalt, loopNudge, loopState } from './loop-guard.ts';
import { isPolling } from './news.ts';
import { findsNothing } from './nothing.ts';
import { hasFailed } from './outcome.ts';

/**
 * Steps in a row at which the model is told, and told again: eleven honest queries may all find nothing, and twenty orders may
 * all be on their way.
 */
const TOLD = { nothing: [12, 24], something: [24, 48] };
/** Steps in a row without finding anything after which the next call of the tool ends the run: it was told twice by then. */
const HALT = 48;

/** Characters of output from which commands that print the same are alike: many succeed with a short word, or with none. */
const TELLING = 16;

/** Whether a call only asks. A shell command may do anything, but one that changes something seldom prints a lot that is equal. */
const asks = ({ call, result, tool }: Done): boolean =>
  classify(call.name, tool?.effect ?? 'unknown') === 'idempotent' ||
  (isShell(call.name, tool) && outputOf(result).length >= TELLING && !hasFailed(call, result, tool));

/**
 * Tells a model that asks one tool for different things and always gets the same answer: reworded searches, pages past the end.
 * It may be honest work, so nothing is refused, and only a run that finds nothing at all ends. Other guards handle steps of calls
 * that change something, poll or fail.
 */
export const sameAnswerGuard = (news: z.output<typeof Loop>['news'], scope: LoopScope) =>
  builtIn<'same_answer', { last: string; steps: number; nothing: boolean }>({
    name: 'same_answer',
    ...loopState(scope),
    initial: { last: '', steps: 0, nothing: false },
    hooks: {
      call: ({ last, steps, nothing }, { call }) => {
        if (news === 'counted' || !nothing || steps < HALT || !last.startsWith(`${call.name} `))
          return undefined;
        const message = guardTexts.foundNothing(call.name, steps);
        const metadata = { tool: call.name, count: steps, limits: { halt: HALT } };
        return { verdict: { ...loopHalt('same_answer', message, metadata), recover: 'never' } };
      },
      batch: (state, { session, calls, done }) => {
        const [first] = done;
        if (news === 'counted') return undefined;
        if (!first) {
          // A refused call goes on with what was answered before.
          const same = state.steps > 0 && calls.every(({ name }) => state.last.startsWith(`${name} `));
          return same ? { state: { ...state, steps: state.steps + 1 } } : undefined;
        }
        const looks = done.every(
          (one) =>
            one.result.outcome === 'ok' &&
            one.result.progress === undefined &&
            asks(one) &&
            !isPolling(session, one.call, one.tool),
        );
        const answers = new Set(
          done.map(({ call, result }) => `${call.name} ${resultKey(result, 'excused')}`),
        );
        const [last = ''] = looks && answers.size === 1 ? answers : [];
        if (last === '') return state.steps > 0 ? { state: { last, steps: 0, nothing: false } } : undefined;
        const steps = last === state.last ? state.steps + 1 : 1;
        const { name } = first.call;
        const nothing = findsNothing(first.result.content) || isShell(name, first.tool);
        const next = { state: { last, steps, nothing } };
        const told = TOLD[nothing ? 'nothing' : 'something'];
        return told.includes(steps)
          ? {
              ...next,
              verdict: loopNudge('same_answer', guardTexts.sameAnswer(first.call.name, steps), false, {
                tool: first.call.name,
                count: steps,
              }),
            }
          : next;
      },
    },
  });
