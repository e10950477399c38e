import type * as z from 'zod';
import { canonicalJson, hash } from '../hash.ts';
import { isRecord } from '../merge.ts';
import type { ToolCall } from '../slots.ts';
import { texts } from '../texts.ts';
import { commandOf } from '../tools/facts.ts';
import { callKey } from './fingerprint.ts';
import { defineGuard } from './guard.ts';
import type { CallStreak } from './loop-config.ts';
import { type LoopScope, loopNudge, loopState } from './loop-guard.ts';

type Config = Pick<z.output<typeof CallStreak>, 'exact' | 'fuzzy' | 'escalateAt'>;

/** Calls that are looked back on (T8). */
const LOOK_BACK = 10;

type Seen = { readonly exact: string; readonly fuzzy: string };

/**
 * Advises a model that makes the same call again and again, or one that differs only in what does not matter; more
 * firmly as the streak grows. It stops nothing (U1b, T8).
 */
export const callStreakGuard = ({ exact, fuzzy, escalateAt }: Config, scope: LoopScope) =>
  defineGuard<{ recent: readonly Seen[]; told: boolean }>({
    name: 'call_streak',
    ...loopState(scope),
    initial: { recent: [], told: false },
    hooks: {
      call: ({ recent, told }, { call }) => ({
        state: {
          recent: [...recent, { exact: callKey(call), fuzzy: fuzzyKey(call) }].slice(-LOOK_BACK),
          told,
        },
      }),
      batch: (state, { calls }) => {
        const same = tail(state.recent, 'exact');
        const alike = tail(state.recent, 'fuzzy');
        const length = reaches(same, exact) ? same : reaches(alike, fuzzy) ? alike : 0;
        const told = length > 0;
        if (!told) return state.told ? { state: { ...state, told } } : undefined;
        const level = escalateAt.filter((at) => length >= at).length;
        const text = texts.callStreak(calls.at(-1)?.name ?? '', length, level);
        return { state: { ...state, told }, verdict: loopNudge('doom_loop', text, state.told) };
      },
    },
  });

const reaches = (length: number, limit: number): boolean => limit > 0 && length >= limit;

/** How many of the last calls are the same. */
function tail(recent: readonly Seen[], by: keyof Seen): number {
  const last = recent.at(-1)?.[by];
  const other = recent.findLastIndex((seen) => seen[by] !== last);
  return recent.length - 1 - other;
}

/** Arguments that say what a call is about (T8). */
const PRIMARY =
  /^(?:path|file|filename|filepath|dir|directory|command|cmd|script|query|pattern|url|id|name|key|target)$/;

/** Calls alike in their primary arguments; looking at one file is one thing, however much of it. */
function fuzzyKey(call: ToolCall): string {
  const command = commandOf(call)?.trim().replace(/\s+/g, ' ');
  const file = command && /^(?:cat|head|tail)(?: -\S+(?: \d+)?)* ([^\s|;&<>]+)$/.exec(command)?.[1];
  const about = file ? { looksAt: file } : primary(call.input);
  return hash(`${call.name}(${canonicalJson(about)})`, 16);
}

function primary(input: unknown): unknown {
  if (!isRecord(input)) return input;
  const found = Object.entries(input).filter(([key]) => PRIMARY.test(key.replace(/[_-]/g, '').toLowerCase()));
  return found.length > 0 ? Object.fromEntries(found) : input;
}
