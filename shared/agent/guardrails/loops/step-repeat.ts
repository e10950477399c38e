import type * as z from 'zod';
import type { Loop, StepRepeat } from '../../config/loop.ts';
import { canonicalJson, hash } from '../../plain/hash.ts';
import { isRecord } from '../../plain/merge.ts';
import type { ToolCall } from '../../session/slots.ts';
import { builtIn } from '../guard-codes.ts';
import { isPoll } from './classify.ts';
import { repeatsFreely } from './declared.ts';
import { essentialInput, resultKey } from './fingerprint.ts';
import { type LoopScope, loopHalt, loopState } from './loop-guard.ts';
import { isPolling } from './news.ts';
import { outcomeKey } from './outcome.ts';

type Config = z.output<typeof StepRepeat>;
type News = z.output<typeof Loop>['news'];

/**
 * Ends a run that makes the same tool step again and again: with the default of 3, the fourth identical step in a row runs
 * nothing. The order inside a batch does not matter; steps without tools neither count nor reset. Steps are excused while their
 * results change, as far as `resultAware` says so; with `news: 'excused'`, steps that only poll are not counted at all.
 */
export const stepRepeatGuard = (
  { limit, resultAware, truncateValuesAt }: Config,
  news: News,
  scope: LoopScope,
) =>
  builtIn<'repetition', { signature: string; repeated: number; results: string }>({
    name: 'repetition',
    ...loopState(scope),
    initial: { signature: '', repeated: 0, results: '' },
    hooks: {
      reply: (state, { reply }) => {
        if (reply.calls.length === 0) return undefined;
        const signature = signatureOf(reply.calls, truncateValuesAt, news);
        if (signature !== state.signature) return { state: { signature, repeated: 0, results: '' } };
        const repeated = state.repeated + 1;
        const next = { ...state, repeated };
        if (limit === 0 || repeated < limit) return { state: next };
        const times = `${repeated + 1} times in a row: ${namesOf(reply.calls)}`;
        return {
          state: next,
          verdict: loopHalt('repeated_step', `The same tool step was asked for ${times}.`, {
            tool: namesOf(reply.calls),
            count: repeated + 1,
            limits: { limit },
          }),
        };
      },
      batch: (state, { session, calls, done, tools }) => {
        if (resultAware === 'never') return undefined;
        const toolOf = ({ name }: ToolCall) => tools.find((tool) => tool.name === name);
        if (news === 'excused' && repeatsFreely({ calls, done, tools }))
          return { state: { ...state, repeated: 0 } };
        if (
          news === 'excused' &&
          resultAware === 'always' &&
          calls.every((call) => isPolling(session, call, toolOf(call)))
        )
          return { state: { ...state, repeated: 0 } };
        if (done.length === 0) return undefined;
        const results = hash(
          done
            .map(({ call, result, tool }) =>
              news === 'excused' ? outcomeKey(call, result, tool) : resultKey(result),
            )
            .sort()
            .join(),
        );
        const changed = state.results !== '' && state.results !== results;
        const excused = resultAware === 'always' || done.every(({ call, tool }) => isPoll(call.name, tool));
        return { state: { ...state, results, repeated: changed && excused ? 0 : state.repeated } };
      },
    },
  });

/** Equal for equal sets of calls: names, and arguments with sorted keys, each whole or up to `cutAt` characters. */
const signatureOf = (calls: readonly ToolCall[], cutAt: number, news: News): string =>
  hash(
    calls
      .map((call) => `${call.name}(${argumentsOf(call, cutAt, news)})`)
      .sort()
      .join('\n'),
  );

function argumentsOf(call: ToolCall, cutAt: number, news: News): string {
  const { input } = call;
  if (cutAt === 0 || !isRecord(input)) return canonicalJson(essentialInput(call, news));
  const text = (value: unknown) => (typeof value === 'string' ? value : canonicalJson(value));
  const cut = Object.entries(input).map(([key, value]) => [key, text(value).slice(0, cutAt)]);
  return canonicalJson(Object.fromEntries(cut));
}

const namesOf = (calls: readonly ToolCall[]): string =>
  [...new Set(calls.map((call) => call.name))].join(', ');
