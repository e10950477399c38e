/** Invariants 18, 27, 34, 46: how a run ends. Checked when a commit ends one. */

import type { AgUiEvent } from '../../../shared/contract/events.ts';
import type { Reason, State } from '../../../shared/contract/session.ts';
import type { Checks } from '../ledger.ts';
import { STUBBORN } from '../odd.ts';
import { type RunBooks, runBooks, type ServedReply } from '../served.ts';
import { limits } from '../tools.ts';
import { MOST_STUCK, stuckIn } from './assessments.ts';
import { type Committed, toolSlots } from './commits.ts';
import { asked } from './controls.ts';
import { SKEW_MS } from './heads.ts';
import { foldIn } from './prefix.ts';
import { GRANT, isOver } from './run-budgets.ts';

/** The tool that pages offer (`pages.ts`). */
export const PAGE_TOOL = 'draw';

/** Time in ms for which not asking a model is no failure (A8), allowing for clock skew. */
const HELD_BACK_MS = 3_600_000 - 2 * SKEW_MS;

/** A commit, and the other facts that are known when it is judged. */
export interface Ended extends Committed {
  /** Whether it, or its parent run, was cancelled, and it has not honoured that before. */
  readonly cancelled: boolean;
  readonly parentCancelled: boolean;
  /** Whether the call that it works for has its result already. */
  readonly orphan: boolean;
  /** Whether nothing has gone wrong in this simulation so far, and nothing is limited. */
  readonly peace: boolean;
  /** Whether windows are small, or messages are long. */
  readonly mayFill: boolean;
  /** Whether its agent answers with objects. */
  readonly answers: boolean;
  /** Whether the system verifies its files. */
  readonly proves: string | undefined;
}

/** Whether a commit has ended a run. */
export function endsRun({ before, after }: Committed): boolean {
  const { run } = after.session;
  return run?.ended === true && (!before.session.run?.ended || before.session.run.id !== run.id);
}

/** Checked at every commit. */
export const peaceChecks: Checks<Ended> = {
  // A step that is cancelled, or whose reply may only speak, has its own reasons.
  '27 without faults every requested call is made': ({
    facts,
    slots,
    peace,
    cancelled,
    parentCancelled,
    after,
  }) => {
    const { state, reason } = after.session;
    if (!peace || cancelled || parentCancelled || state === 'cancelled' || isSpent(reason)) return undefined;
    const left = toolSlots(slots)
      // A model that repeats itself by chance is halted, as a real one would be.
      .flatMap(({ results, verdicts }) => (verdicts.some(({ kind }) => kind === 'halt') ? [] : results))
      // An answer from outside, of a page, or of a child, may be missing.
      .find(
        ({ callId, name, outcome }) =>
          outcome === 'cancelled' ||
          (outcome === 'unknown' &&
            name !== PAGE_TOOL &&
            !facts.handed.has(callId) &&
            !facts.children.has(callId)),
      );
    return left && `${left.callId} is ${left.outcome}: ${left.content}`;
  },
};

export const endChecks: Checks<Ended> = {
  '18 a run is cancelled only if its cancel was requested': ({
    after,
    cancelled,
    parentCancelled,
    orphan,
  }) =>
    after.session.state === 'cancelled' && !cancelled && !parentCancelled && !orphan
      ? `${after.session.run?.id} ends as cancelled without a cancel`
      : undefined,

  '18 a cancel beats completion': ({ after, cancelled }) =>
    cancelled && after.session.state === 'completed'
      ? `${after.session.run?.id} was cancelled, and is completed`
      : undefined,

  '28 without faults a parent’s cancel waits for the wrap-up': ({
    facts,
    after,
    peace,
    cancelled,
    claim,
  }) => {
    const { run, reason } = after.session;
    if (!run || !claim || !peace || cancelled || reason !== 'cancelled') return undefined;
    const { last } = runBooks(facts.served, run.id);
    // A run at its limit of steps asks the model no more, whatever was requested of it.
    const isSpent = after.tail.some(
      ({ event }) =>
        event.type === 'CUSTOM' && event.name === 'steploop.guard' && event.value.code === 'max_steps',
    );
    const wraps = facts.wrapping.has(run.id) || asked(facts, claim.inbox, 'wrap_up', run.id).length > 0;
    return wraps && !isSpent && last && 'stop' in last && !last.textOnly
      ? `${run.id} was asked to wrap up, and its model never was`
      : undefined;
  },

  '34 a complete run answers with the object in its last reply': ({ facts, after, answers }) => {
    const { state, run } = after.session;
    const object = after.tail
      .map(({ event }) =>
        event.type === 'CUSTOM' && event.name === 'steploop.ended' ? event.value.object : undefined,
      )
      .find((came) => came !== undefined);
    if (!run || (!answers && object === undefined)) return undefined;
    const { kept } = runBooks(facts.served, run.id);
    // A run that wraps up answers with something else.
    if (!kept || kept.textOnly || state !== 'completed') return undefined;
    const told = (object as { said?: unknown } | undefined)?.said;
    const due = givenIn(kept.text).length > 0 ? givenIn(kept.text) : wordsOf(facts, run.id).flatMap(givenIn);
    return due.some((said) => said === told)
      ? undefined
      : `${run.id} came to ${JSON.stringify(object)}, and said ${kept.text}`;
  },

  '27 every end has its cause': (ended) => {
    const { state, reason = 'completed', run } = ended.after.session;
    const cause = causes[reason];
    if (!run || !cause) return undefined;
    return cause.state === state && cause.is(runBooks(ended.facts.served, run.id), ended)
      ? undefined
      : `${run.id} ends as ${state}/${reason} after ${said(runBooks(ended.facts.served, run.id))}`;
  },

  '46 a run ends for want of progress only if it was found stuck twice': (ended) =>
    ended.after.tail.some(({ event }) => endsFor(event, 'no_progress')) && !isFoundStuck(ended)
      ? `${ended.after.session.run?.id} was found stuck less often`
      : undefined,

  '27 without faults a run ends as the servers’ answers imply': (ended) => {
    const { state, reason, run } = ended.after.session;
    if (!run || !ended.peace || ended.cancelled || ended.parentCancelled || run.resumes > 0) return undefined;
    if ((ended.mayFill && reason === 'context_limit') || isSpent(reason)) return undefined;
    if (reason === 'loop_halt' && isFoundStuck(ended)) return undefined;
    // The last reply of the last step was final, but a message came: that one begins a run of its own.
    if (reason === 'max_steps' && (ended.claim?.inbox.length ?? 0) > 0) return undefined;
    const books = runBooks(ended.facts.served, run.id);
    // An answer that is not an object is sent back.
    const due = books.odd || ended.answers || ended.proves ? undefined : endOf(books);
    return due && due !== `${state}/${reason}`
      ? `${run.id} ends as ${state}/${reason}, not ${due}, after ${said(books)}`
      : undefined;
  },
};

const endsFor = (event: AgUiEvent, code: string): boolean =>
  event.type === 'CUSTOM' && event.name === 'steploop.ended' && event.value.code === code;

/** Whether a model has found the run stuck as often as ends it. */
const isFoundStuck = ({ facts, after }: Ended): boolean =>
  stuckIn(facts, after.session.run?.id) >= MOST_STUCK;

/** The texts of objects that the simulated model has given. */
const givenIn = (text: string): string[] =>
  Array.from(text.matchAll(/\{"said":"([^"]*)"/g), ([, said = '']) => said);

/**
 * Each reply of a run, and all of them joined: a truncated reply may contain a whole object, or the first half of one.
 */
function wordsOf({ stored }: Committed['facts'], runId: string): string[] {
  const said = stored.flatMap((slot) =>
    slot.kind === 'model' && slot.runId === runId
      ? [(slot.reply?.content ?? []).map(({ text }) => text ?? '').join('')]
      : [],
  );
  return [...said, said.join('')];
}

/** The facts that must hold if a run ends like this. Other reasons are the guards' own. */
const causes: Partial<Record<Reason, { readonly state: State; is(books: RunBooks, ended: Ended): boolean }>> =
  {
    completed: { state: 'completed', is: ({ kept }) => kept !== undefined && isLastWord(kept) },
    cancelled: { state: 'cancelled', is: () => true },
    blocked: { state: 'error', is: ({ kept }) => kept?.stop === 'refusal' },
    // Its last reply gave none of the kind requested.
    answer_invalid: {
      state: 'error',
      is: ({ kept }) => kept !== undefined && givenIn(kept.text).length === 0,
    },
    // Otherwise its model has refused it as too long, or nothing fits (`folds.ts`).
    context_limit: {
      state: 'budget_exceeded',
      is: ({ kept }, { mayFill }) => mayFill || kept?.stop === 'context_limit',
    },
    // A reply that was cut before it contained anything whole is not an answer either. If a server refuses every request of a
    // run, leaving a part out does not help.
    provider_error: {
      state: 'error',
      is: ({ last }, { claim, facts, now }) =>
        claim?.failed !== undefined ||
        (claim?.unasked === true && now >= facts.heldBackSince + HELD_BACK_MS) ||
        (last !== undefined && ('stop' in last ? last.stop === 'interrupted' : last.message === STUBBORN)),
    },
    max_steps: { state: 'max_steps', is: ({ steps }) => steps === limits.maxSteps },
    token_budget: { state: 'budget_exceeded', is: hasReached },
    cost_limit: { state: 'budget_exceeded', is: hasReached },
    tenant_budget: { state: 'budget_exceeded', is: (_books, { peace }) => !peace },
    crash_loop: { state: 'error', is: (_books, { peace }) => !peace },
    internal_error: { state: 'error', is: () => false },
  };

/** Whether a run has reached a limit of its own. */
const isSpent = (reason: Reason | undefined): boolean => reason === 'token_budget' || reason === 'cost_limit';

function hasReached(books: RunBooks, { runBudget, facts, after }: Ended): boolean {
  const ofRun = facts.stored.filter(({ runId }) => runId === after.session.run?.id);
  // The first input of a run may have been allowed to the previous one, which was cancelled by then.
  const raised = ofRun.slice(1).some((slot) => foldIn(slot)?.why === 'budget');
  return runBudget !== undefined && isOver(runBudget, books, raised && !facts.older ? GRANT : 0);
}

/** Whether the reply left nothing to do: it asks for no call, or for none that may run. */
const isLastWord = ({ calls, textOnly, stop }: ServedReply): boolean =>
  calls.length === 0 || textOnly || !runsCalls.includes(stop);

const runsCalls: readonly ServedReply['stop'][] = ['tool_use', 'end_turn', 'unknown'];

/** The run continues after these; guards decide for how long. */
const cutStops: readonly ServedReply['stop'][] = ['interrupted', 'deadline', 'max_tokens', 'pause_turn'];

/** The end that follows from the last answer in a run in which every call has done its work. */
function endOf({ last, steps }: RunBooks): `${State}/${Reason}` | undefined {
  if (!last) return undefined;
  if ('code' in last) return last.kind === 'retry' ? undefined : 'error/provider_error';
  if (cutStops.includes(last.stop)) return undefined;
  if (last.stop === 'refusal') return 'error/blocked';
  // Its next step folds, or has nothing to fold. After the last step either reason may be given first.
  if (last.stop === 'context_limit')
    return steps === limits.maxSteps ? undefined : 'budget_exceeded/context_limit';
  // A run that continues has not ended.
  if (!isLastWord(last)) return steps === limits.maxSteps ? 'max_steps/max_steps' : 'running/completed';
  return last.text === '' ? undefined : 'completed/completed';
}

const said = ({ last, steps }: RunBooks): string => `${steps} steps, last ${JSON.stringify(last)}`;
