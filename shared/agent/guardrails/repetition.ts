import { canonicalJson, hash } from '../hash.ts';
import type { ToolCall } from '../slots.ts';
import { defineGuard } from './guard.ts';

/**
 * Ends a run that makes the same tool step again and again: with the default of 3, the fourth identical step
 * in a row runs nothing (A12). The order inside a batch does not matter; steps without tools neither count nor
 * reset. 0 = off.
 */
export const repetitionGuard = (maxRepeatedToolSteps: number) =>
  defineGuard<{ signature: string; repeated: number }>({
    name: 'repetition',
    scope: 'run',
    initial: { signature: '', repeated: 0 },
    hooks: {
      reply: (state, { reply }) => {
        if (reply.calls.length === 0) return undefined;
        const signature = signatureOf(reply.calls);
        if (signature !== state.signature) return { state: { signature, repeated: 0 } };
        const repeated = state.repeated + 1;
        if (maxRepeatedToolSteps === 0 || repeated < maxRepeatedToolSteps)
          return { state: { signature, repeated } };
        return {
          state: { signature, repeated },
          verdict: {
            kind: 'halt',
            state: 'error',
            reason: 'loop_halt',
            code: 'repeated_step',
            message: `The same tool step was asked for ${repeated + 1} times in a row: ${namesOf(reply.calls)}.`,
          },
        };
      },
    },
  });

/** Equal for equal sets of calls: names, and arguments with sorted keys, whole (hashed). */
const signatureOf = (calls: readonly ToolCall[]): string =>
  hash(
    calls
      .map((call) => `${call.name}(${canonicalJson(call.input)})`)
      .sort()
      .join('\n'),
  );

const namesOf = (calls: readonly ToolCall[]): string =>
  [...new Set(calls.map((call) => call.name))].join(', ');
