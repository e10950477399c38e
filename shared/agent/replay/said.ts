import type {
  GuardReplay,
  ReplayedEffect,
  ReplayedEnd,
  ReplayedVerdict,
  ReplayedVerdicts,
} from '../../contract/replays.ts';
import { stepsIn } from '../events/steps.ts';
import { forPeople } from '../guardrails/for-people.ts';
import type { Slot } from '../session/slots.ts';
import type { Spoken } from '../session/verdict.ts';
import type { WatchedStep } from './replay.ts';
import { type Heard, heardAt } from './watched.ts';

/** Verdicts that a replay lists. */
const MOST = 500;
/** Characters of a text for the model. */
const MAX_TEXT = 2_000;

/** A replay as it is told. */
export function told(preset: string, steps: readonly WatchedStep[]): GuardReplay {
  return { preset, ...listed(steps), ends: steps.flatMap(endOf) };
}

/** The verdicts of a session's guards when it ran, as its slots have them. */
export const toldThen = (slots: readonly Slot[]): ReplayedVerdicts =>
  listed(
    stepsIn(slots).map(({ asked, ran }) => ({
      ...{ runId: asked.runId, step: asked.step, slot: asked.n },
      heard: heardAt([...asked.verdicts, ...(ran?.verdicts ?? [])]),
    })),
  );

function listed(steps: readonly WatchedStep[]): ReplayedVerdicts {
  const all = steps.flatMap((step) => step.heard.map((one) => toldVerdict(step, one)));
  return { said: all.slice(0, MOST), ...(all.length > MOST && { more: all.length - MOST }) };
}

/** A verdict as it is told. */
function toldVerdict({ runId, step, slot }: Omit<WatchedStep, 'heard'>, heard: Heard): ReplayedVerdict {
  const { verdict, callId } = heard;
  const text = heard.recovery ?? textOf(verdict);
  return {
    ...{ runId, step },
    ...(slot !== undefined && { slot }),
    ...{ guard: verdict.guard, code: verdict.code, effect: effectOf(heard) },
    ...(callId !== undefined && { toolCallId: callId }),
    ...(text !== undefined && { text: short(text) }),
    message: short(forPeople(verdict)),
  };
}

function effectOf({ verdict, recovery, sendsBack }: Heard): ReplayedEffect {
  switch (verdict.kind) {
    case 'nudge':
      return verdict.unsaid ? 'unsaid' : sendsBack ? 'sent_back' : 'advised';
    case 'warn':
      return 'warned';
    case 'block':
      return (verdict.ask ?? 'never') === 'never' ? 'refused' : 'asked';
    case 'skip_calls':
      return 'calls_dropped';
    case 'text_only':
      return 'text_only';
    case 'halt':
      return recovery === undefined ? 'ended' : 'recovered';
    case 'flag':
      return 'accepted';
    case 'check':
      return 'checked';
    case 'allow':
      return 'allowed';
    default:
      return verdict satisfies never;
  }
}

/** The text of a verdict that the model reads; undefined if it reads nothing. */
function textOf(verdict: Spoken): string | undefined {
  switch (verdict.kind) {
    case 'nudge':
      return verdict.unsaid ? undefined : verdict.text;
    case 'text_only':
      return verdict.text;
    case 'warn':
      return verdict.note?.message;
    case 'block':
      return verdict.result ?? `Error [refused]: ${verdict.message}`;
    case 'skip_calls':
    case 'halt':
    case 'flag':
    case 'check':
    case 'allow':
      return undefined;
    default:
      return verdict satisfies never;
  }
}

function endOf({ runId, step, ending, unasked }: WatchedStep): ReplayedEnd[] {
  if (!ending) return [];
  const last = unasked ? step - 1 : step;
  const { state, reason } =
    ending.kind === 'halt' ? ending.halt : ({ state: 'completed', reason: ending.reason } as const);
  return [{ runId, step: last, state, reason }];
}

const short = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}…` : text;
