/** A scripted session that `follow` shows in a thread, delivery by delivery, on its own clock. */

import type { AgUiEvent, Frame, RunResult } from '../../shared/contract/events.ts';
import { follow } from '../../shared/slack/follow.ts';
import type { Followed } from '../../shared/slack/following.ts';
import { newThread, type Thread } from '../../shared/slack/remembered.ts';
import type { ThreadSettings } from '../../shared/slack/settings.ts';
import { createSlackApi, webClient } from '../../shared/slack/web-api.ts';
import type { FakeSlack } from './fake-slack.ts';

export const totals = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, costUsd: 0.0123 };
export const result: RunResult = {
  success: true,
  state: 'completed',
  reason: 'completed',
  steps: 1,
  toolCalls: 0,
  totals,
};
export const started = (runId = 's1-0'): AgUiEvent => ({ type: 'RUN_STARTED', threadId: 's1', runId });
export const finished = (runId = 's1-0'): AgUiEvent => ({
  type: 'RUN_FINISHED',
  threadId: 's1',
  runId,
  result,
  outcome: { type: 'success' },
});
export const begin = (messageId: string): AgUiEvent => ({
  type: 'TEXT_MESSAGE_START',
  messageId,
  role: 'assistant',
});
export const say = (messageId: string, delta: string): AgUiEvent => ({
  type: 'TEXT_MESSAGE_CONTENT',
  messageId,
  delta,
});
export const close = (messageId: string): AgUiEvent => ({ type: 'TEXT_MESSAGE_END', messageId });
export const aborted = (...messageIds: string[]): AgUiEvent => ({
  type: 'CUSTOM',
  name: 'steploop.aborted',
  value: { messageIds, why: 'overloaded' },
});

/**
 * A session whose log grows by a script, which has the events of each second. Deliveries come when the test asks for
 * them.
 */
export function session(
  slack: FakeSlack,
  script: (AgUiEvent | Frame)[][],
  outcomes: (log: readonly Frame[]) => Readonly<Record<string, string>> = () => ({}),
  start: ThreadSettings = {},
  contents: Readonly<Record<string, Uint8Array>> = {},
) {
  const log: Frame[] = [];
  let second = 0;
  let now = 1_800_000_000_000;
  slack.goBy(() => now);
  const state: { cursor: number; thread: Thread; saves: number } = { cursor: 0, thread: newThread, saves: 0 };
  const missing: string[] = [];
  const grow = () => {
    for (const event of script[second++] ?? []) {
      const seq = log.length + 1;
      log.push('seq' in event ? event : { seq, prev: seq - 1, event });
    }
  };
  grow();
  return {
    state,
    /** Errors that make something impossible to show. */
    missing,
    /** Whether the whole script is in the log, and shown. */
    isSaid: () => second >= script.length && state.cursor >= (log.at(-1)?.seq ?? 0),
    /** Lets time pass while the log grows. */
    wait(ms: number) {
      now += ms;
      grow();
    },
    /** One delivery. It may die at the nth save. */
    async deliver({
      forMs = 100_000,
      dieAtSave = Infinity,
      dieAtSleep = Infinity,
      expecting = false,
    } = {}): Promise<Followed | 'died'> {
      let saves = 0;
      let sleeps = 0;
      const died = Symbol('died');
      try {
        const followed = await follow(
          {
            ...start,
            sessionId: 's1',
            target: { channel: 'C1', thread: '1.1' },
            recipient: { user: 'U1', team: 'T1' },
            cursor: state.cursor,
            thread: state.thread,
            expecting,
            deadlineAt: now + forMs,
          },
          {
            api: createSlackApi(webClient(slack.url, 'xoxb-test')),
            clock: {
              now: () => now,
              async sleep(ms) {
                if (++sleeps >= dieAtSleep) throw died;
                now += ms;
                grow();
              },
            },
            frames: async (after) => log.filter(({ seq }) => seq > after),
            async save(cursor, thread) {
              if (++saves >= dieAtSave) throw died;
              Object.assign(state, { cursor, thread: structuredClone(thread) });
              state.saves++;
              return 'saved';
            },
            outcomes: async () => outcomes(log),
            content: async (hash) => contents[hash],
            onMissing: (error) => void missing.push(error),
          },
        );
        Object.assign(state, { cursor: followed.cursor, thread: structuredClone(followed.thread) });
        return followed;
      } catch (error) {
        if (error !== died) throw error;
        return 'died';
      }
    },
  };
}
