import type * as z from 'zod';
import type { Loop } from '../../config/loop.ts';
import { isRecord } from '../../plain/merge.ts';
import { texts } from '../../texts.ts';
import { builtIn } from '../guard-codes.ts';
import { classify } from './classify.ts';
import { jsonOr, resultKey } from './fingerprint.ts';
import { type LoopScope, loopNudge, loopState } from './loop-guard.ts';
import { isPolling } from './news.ts';

/**
 * Steps in a row at which the model is told, and told again: eleven honest queries may all find nothing, and twenty orders may
 * all be on their way.
 */
const TOLD = { nothing: [12, 24], something: [24, 48] };

/** Longest text in characters in which "not found" is the whole message. */
const SHORT = 300;
const NOTHING = /\b(?:not found|no (?:more|such|results?|match(?:es)?|hits?)|nothing|none|does not exist)\b/i;

/** Whether an answer is empty, has an empty list, or says in a few words that there is nothing. */
const findsNothing = (content: string): boolean =>
  /^\s*(?:null|""|\{\})\s*$/.test(content) ||
  hasNoItems(jsonOr(content)) ||
  (content.length <= SHORT && NOTHING.test(content));

const hasNoItems = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.values(value).some(hasNoItems);

/**
 * Tells a model that asks one tool for different things and always gets the same answer: reworded searches, pages past the end.
 * It may be honest work, so nothing is refused. Other guards handle steps of calls that change something, poll or fail.
 */
export const sameAnswerGuard = (news: z.output<typeof Loop>['news'], scope: LoopScope) =>
  builtIn<'same_answer', { last: string; steps: number }>({
    name: 'same_answer',
    ...loopState(scope),
    initial: { last: '', steps: 0 },
    hooks: {
      batch: (state, { session, done }) => {
        const [first] = done;
        if (news === 'counted' || !first) return undefined;
        const looks = done.every(
          ({ call, result, tool }) =>
            result.outcome === 'ok' &&
            result.progress === undefined &&
            classify(call.name, tool?.effect ?? 'unknown') === 'idempotent' &&
            !isPolling(session, call, tool),
        );
        const answers = new Set(done.map(({ call, result }) => `${call.name} ${resultKey(result)}`));
        const [last = ''] = looks && answers.size === 1 ? answers : [];
        if (last === '') return state.steps > 0 ? { state: { last, steps: 0 } } : undefined;
        const steps = last === state.last ? state.steps + 1 : 1;
        const next = { state: { last, steps } };
        const told = TOLD[findsNothing(first.result.content) ? 'nothing' : 'something'];
        return told.includes(steps)
          ? {
              ...next,
              verdict: loopNudge('same_answer', texts.sameAnswer(first.call.name, steps), false, {
                tool: first.call.name,
                count: steps,
              }),
            }
          : next;
      },
    },
  });
