import type * as z from 'zod';
import type { CallStreak, Loop } from '../../config/loop.ts';
import { canonicalJson, hash } from '../../plain/hash.ts';
import { isRecord } from '../../plain/merge.ts';
import { changesFiles, commandOf, type ToolFacts } from '../../session/facts.ts';
import type { Session } from '../../session/session.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import { guardTexts } from '../../texts/guards.ts';
import type { Done } from '../guard.ts';
import { builtIn } from '../guard-codes.ts';
import { classify } from './classify.ts';
import { callKey, essentialInput, isSubject, plainInput } from './fingerprint.ts';
import { type LoopScope, loopNudge, loopState } from './loop-guard.ts';
import { isPolling } from './news.ts';
import { findsNothing } from './nothing.ts';
import { hasFailed, outcomeKey } from './outcome.ts';

type Config = Pick<z.output<typeof CallStreak>, 'exact' | 'fuzzy' | 'escalateAt'>;
type News = z.output<typeof Loop>['news'];

/** Number of last calls that are compared. */
const LOOK_BACK = 10;

/** Letters of a result's key: it is compared only with those of the last ten. */
const SHORT = 8;

/** `result` only if it matters. */
type Seen = { readonly exact: string; readonly fuzzy: string; readonly result?: string };

/**
 * Advises a model that makes the same call again and again, or one that differs only in incidental arguments; more firmly as the
 * streak grows. It stops nothing. With `news: 'excused'`, another result ends a streak, equal calls of one batch count once, and
 * polls are left to `cycles.ts`.
 */
export const callStreakGuard = ({ exact, fuzzy, escalateAt }: Config, news: News, scope: LoopScope) =>
  builtIn<'call_streak', { recent: readonly Seen[]; told: boolean }>({
    name: 'call_streak',
    ...loopState(scope),
    initial: { recent: [], told: false },
    hooks: {
      call: ({ recent, told }, { call }) =>
        news === 'excused'
          ? undefined
          : {
              state: {
                recent: [...recent, { exact: callKey(call), fuzzy: fuzzyKey(call, news) }].slice(-LOOK_BACK),
                told,
              },
            },
      batch: ({ recent, told: before }, { session, calls, done, tools }) => {
        const added = news === 'excused' ? seenIn(calls, recent, session, done, tools) : [];
        if (news === 'excused' && added.length === 0) return undefined;
        // A call that reports progress is no repetition, whatever its result.
        const progress = news === 'excused' && done.some(({ result }) => result.progress !== undefined);
        const earlier = progress ? [] : recent;
        const state = { recent: [...earlier, ...added].slice(-LOOK_BACK), told: before };
        const same = tail(state.recent, 'exact');
        const alike = tail(state.recent, 'fuzzy');
        const length = reaches(same, exact) ? same : reaches(alike, fuzzy) ? alike : 0;
        const told = length > 0;
        if (!told) return { state: { ...state, told } };
        const level = escalateAt.filter((at) => length >= at).length;
        const text = guardTexts.callStreak(calls.at(-1)?.name ?? '', length, level);
        const verdict = loopNudge('doom_loop', text, state.told, {
          tool: calls.at(-1)?.name ?? '',
          count: length,
          limits: { exact, fuzzy },
        });
        return { state: { ...state, told }, unsaid: { ...state, told: before }, verdict };
      },
    },
  });

const reaches = (length: number, limit: number): boolean => limit > 0 && length >= limit;

/** The number of equal calls at the end. */
function tail(recent: readonly Seen[], by: keyof Seen): number {
  const last = recent.at(-1);
  const other = recent.findLastIndex((seen) => seen[by] !== last?.[by] || seen.result !== last?.result);
  return recent.length - 1 - other;
}

/** From this many characters, an equal text is no coincidence: two sheets may both have a 0 in a cell. */
const TELLING = 24;

/** The calls of a batch that may be repetitions: the first of equal ones. */
function seenIn(
  calls: readonly ToolCall[],
  recent: readonly Seen[],
  session: Session,
  done: readonly Done[],
  tools: readonly ToolFacts[],
): readonly Seen[] {
  const added = new Map<string, Seen>();
  for (const call of calls) {
    const tool = tools.find(({ name }) => name === call.name);
    const exact = callKey(call, 'excused');
    if (added.has(exact) || isPolling(session, call, tool)) continue;
    const result = done.find((one) => one.call.id === call.id)?.result;
    const alike =
      result === undefined || tellsNothing(call, result, tool) ? exact : fuzzyKey(call, 'excused');
    // A refused call counts with its earlier result.
    const before = recent.findLast((seen) => seen.exact === exact)?.result;
    added.set(exact, {
      exact,
      fuzzy: alike,
      result: result ? outcomeKey(call, result, tool).slice(0, SHORT) : (before ?? ''),
    });
  }
  return [...added.values()];
}

/** Whether the same result says nothing about other arguments: a change that succeeded, or a short answer. */
function tellsNothing(call: ToolCall, result: ToolResult, tool: ToolFacts | undefined): boolean {
  if (hasFailed(call, result, tool)) return false;
  const mutates = classify(call.name, tool?.effect ?? 'unknown') === 'mutating';
  const changes = mutates && fileLookedAt(call) === undefined;
  const short = result.content.length < TELLING && !findsNothing(result.content);
  return changes || changesFiles({ name: call.name, effect: 'once' }) || short;
}

/** Arguments about the amount and the form, but not about the subject. */
const INCIDENTAL =
  /^(?:(?:max|min|num|page|start|end)?(?:limit|offset|page|cursor|count|size|results|lines?|number|token)|top|topk|k|n|skip|take|head|tail|chars|format|encoding|timeout(?:ms)?|reason|thought|explanation)$/;

/** The same, if they are numbers: a range may also be of days, or a way from one place to another. */
const RANGE = /^(?:from|to|begin|first|last|until)$/;

/**
 * Groups calls with the same primary arguments. Reads of one file count as one thing, whatever the range. With `news: 'excused'`,
 * every argument that may name another subject is primary.
 */
function fuzzyKey(call: ToolCall, news: News): string {
  const file = fileLookedAt(call);
  const about = file
    ? { looksAt: file }
    : news === 'excused'
      ? named(essentialInput(call, news))
      : primary(plainInput(call.input));
  return hash(`${call.name}(${canonicalJson(about)})`, 16);
}

function fileLookedAt(call: ToolCall): string | undefined {
  const command = commandOf(call)?.trim().replace(/\s+/g, ' ');
  return command && /^(?:cat|head|tail)(?: -\S+(?: \d+)?)* ([^\s|;&<>]+)$/.exec(command)?.[1];
}

function primary(input: unknown): unknown {
  if (!isRecord(input)) return input;
  const found = Object.entries(input).filter(([key]) => isSubject(key));
  return found.length > 0 ? Object.fromEntries(found) : input;
}

function named(input: unknown): unknown {
  if (!isRecord(input)) return input;
  const found = Object.entries(input).filter(([name, value]) => {
    const key = name.replace(/[_-]/g, '').toLowerCase();
    const range = typeof value === 'number' && RANGE.test(key);
    return typeof value !== 'boolean' && !range && !INCIDENTAL.test(key);
  });
  return found.length > 0 ? Object.fromEntries(found) : input;
}
