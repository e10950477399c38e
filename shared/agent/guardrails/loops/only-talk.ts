import { textOf } from '../../session/reply.ts';
import { guardTexts } from '../../texts/guards.ts';
import { builtIn } from '../guard-codes.ts';
import { type LoopScope, loopNudge, loopState } from './loop-guard.ts';

/**
 * Advises a run that goes on although its last `limit` replies made no calls. It uses other words than the guards that sent the
 * last reply back, where these would only be repeated. 0 = off. A reply that was cut at the output limit does not count, because
 * it is asked to continue; nor does an empty one.
 */
export const onlyTalkGuard = (limit: number, scope: LoopScope) =>
  builtIn<'only_talk', { replies: number; told: number }>({
    name: 'only_talk',
    ...loopState(scope),
    initial: { replies: 0, told: 0 },
    hooks: {
      reply: (state, { reply }) => {
        if (reply.stop === 'max_tokens' || (reply.calls.length === 0 && textOf(reply.content) === ''))
          return undefined;
        return {
          state: reply.calls.length > 0 ? { replies: 0, told: 0 } : { ...state, replies: state.replies + 1 },
        };
      },
      complete: ({ replies, told }) =>
        limit > 0 && replies >= limit && replies > told
          ? {
              state: { replies, told: replies },
              verdict: {
                ...loopNudge('only_talk', guardTexts.onlyTalk(replies), told > 0, {
                  count: replies,
                  limits: { textOnly: limit },
                }),
                instead: true,
              },
            }
          : undefined,
    },
  });
