/** An in-memory Slack that misbehaves: it limits, refuses, loses answers, closes streams, and removes the bot. */

import { WebAPIPlatformError, WebAPIRateLimitedError, type WebClient } from '@slack/web-api';
import type { Random } from '../../sim/random.ts';
import { type MemorySlack, memorySlack } from '../../support/memory-slack.ts';

export interface SoakSlack {
  readonly memory: MemorySlack;
  readonly client: WebClient;
  /** Removes the bot from a channel for `ms`. */
  leave(channel: string, ms: number): void;
  /** Ends all faults. */
  behave(): void;
  readonly figures: Record<'calls' | 'limited' | 'refused' | 'lost' | 'away', number>;
}

/** Refusals of single calls, by method, with their probabilities. */
const REFUSALS: Readonly<Record<string, readonly (readonly [error: string, chance: number])[]>> = {
  'chat.postMessage': [
    ['invalid_arguments', 0.01],
    ['msg_too_long', 0.01],
  ],
  'chat.update': [['invalid_arguments', 0.02]],
  'chat.startStream': [['channel_type_not_supported', 0.03]],
  'chat.appendStream': [['message_not_in_streaming_state', 0.02]],
  'chat.stopStream': [['message_not_in_streaming_state', 0.03]],
};

/**
 *
 * @param fixed channels in which messages cannot be edited or streamed
 * @param now epoch ms
 */
export function soakSlack(fixed: ReadonlySet<string>, random: Random, now: () => number): SoakSlack {
  const memory = memorySlack({
    streams: (channel) => !fixed.has(channel),
    second: () => Math.floor(now() / 1_000),
  });
  const figures = { calls: 0, limited: 0, refused: 0, lost: 0, away: 0 };
  const away = new Map<string, number>();
  let faulty = true;

  const no = (error: string, kind: 'refused' | 'away'): never => {
    figures[kind] += 1;
    throw new WebAPIPlatformError({ ok: false, error } as never);
  };

  async function apiCall(method: string, given: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    figures.calls += 1;
    const args = Object.fromEntries(
      Object.entries(given)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]),
    );
    const { channel = '', ts = '' } = args;
    if (now() < (away.get(channel) ?? 0)) no('not_in_channel', 'away');
    if (method === 'chat.update' && fixed.has(channel)) no('edit_window_closed', 'refused');
    const lost = faulty && random.chance(0.04);
    if (faulty && random.chance(0.06)) {
      figures.limited += 1;
      throw new WebAPIRateLimitedError(random.between(1, 30));
    }
    for (const [error, chance] of faulty ? (REFUSALS[method] ?? []) : []) {
      if (!random.chance(chance)) continue;
      if (error === 'message_not_in_streaming_state') memory.expire(ts);
      no(error, 'refused');
    }
    if (lost) figures.lost += 1;
    if (lost && random.chance(0.5)) throw new Error('socket hang up, before it was done');
    const answer = memory.answer(method, args) as { ok: boolean; error?: string };
    if (lost) throw new Error('socket hang up, after it was done');
    return answer.ok ? answer : no(answer.error ?? '', 'refused');
  }

  return {
    memory,
    client: { apiCall } as unknown as WebClient,
    leave: (channel, ms) => void away.set(channel, now() + ms),
    behave() {
      faulty = false;
    },
    figures,
  };
}
