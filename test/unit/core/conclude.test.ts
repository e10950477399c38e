import { describe, expect, test } from 'vitest';
import type { Fence } from '../../../shared/agent/ports/fence.ts';
import { newSession, noTotals, type Session } from '../../../shared/agent/session/session.ts';
import type { Spoken } from '../../../shared/agent/session/verdict.ts';
import type { Wait } from '../../../shared/agent/session/waits.ts';
import type { Draft, Ending, StillOpen } from '../../../shared/agent/step/draft.ts';
import { conclude } from '../../../shared/agent/step/end/conclude.ts';

const base = newSession({ tenant: 't', sessionId: 's' }, 'a', 'd');
const run = {
  id: 's-0',
  startedAt: 0,
  pausedMs: 0,
  steps: 2,
  toolCalls: 1,
  retries: 0,
  folds: 0,
  rateLimits: 0,
  failingSince: 0,
  activeMs: 0,
  resumes: 0,
  ended: false,
  totals: noTotals,
};
const session: Session = { ...base, run, nudges: [{ text: 'left over' }] };
const fence: Fence = {
  epoch: 3,
  cancelGen: 0,
  inboxSeq: 1,
  inbox: ['e1'],
  overflow: false,
  consumed: [],
  intents: [],
  subscribers: [],
  pending: [],
  decisions: {},
  started: {},
  revoked: [],
};
const draft = (ending: Ending, more: Partial<Draft> = {}): Draft => ({
  session,
  incorporated: ['e1'],
  spoken: [],
  events: [],
  ending,
  ...more,
});

const done: Ending = { kind: 'complete', reason: 'completed' };
const goOn: Ending = { kind: 'continue' };
const halt = (state: Session['state'], reason: NonNullable<Session['reason']>): Ending => ({
  kind: 'halt',
  halt: { state, reason, code: reason, message: 'Because.' },
});
const spent = halt('budget_exceeded', 'token_budget');
const parked = halt('waiting_for_input', 'awaiting_user');
const cancelled = { ...fence, cancelGen: 1 };
const more = { ...fence, inbox: ['e1', 'e2'] };
const beside = { ...fence, overflow: true };

describe('conclude', () => {
  test.each<{
    what: string;
    ending: Ending;
    seen: Fence;
    state: string;
    reason?: string;
    next: 'run' | 'rest';
  }>([
    { what: 'completion', ending: done, seen: fence, state: 'completed', reason: 'completed', next: 'rest' },
    {
      what: 'truncated completion',
      ending: { kind: 'complete', reason: 'completed_truncated' },
      seen: fence,
      state: 'completed',
      reason: 'completed_truncated',
      next: 'rest',
    },
    {
      what: 'a message that came continues a completion',
      ending: done,
      seen: more,
      state: 'running',
      next: 'run',
    },
    {
      what: 'a message that waits beside the inbox continues a completion',
      ending: done,
      seen: beside,
      state: 'running',
      next: 'run',
    },
    {
      what: 'a halt with a message beside the inbox: the run ends, and another one begins',
      ending: spent,
      seen: beside,
      state: 'budget_exceeded',
      reason: 'token_budget',
      next: 'run',
    },
    { what: 'continuing', ending: goOn, seen: fence, state: 'running', next: 'run' },
    {
      what: 'a cancel beats completion',
      ending: done,
      seen: cancelled,
      state: 'cancelled',
      reason: 'cancelled',
      next: 'rest',
    },
    {
      what: 'a cancel beats continuing',
      ending: goOn,
      seen: cancelled,
      state: 'cancelled',
      reason: 'cancelled',
      next: 'rest',
    },
    {
      what: 'a cancel beats waiting for a person',
      ending: parked,
      seen: cancelled,
      state: 'cancelled',
      reason: 'cancelled',
      next: 'rest',
    },
    {
      what: 'a cancel does not change why a guard halted',
      ending: spent,
      seen: cancelled,
      state: 'budget_exceeded',
      reason: 'token_budget',
      next: 'rest',
    },
    {
      what: 'a halt with a message that came: the run ends, and another one begins',
      ending: spent,
      seen: more,
      state: 'budget_exceeded',
      reason: 'token_budget',
      next: 'run',
    },
    {
      what: 'a cancel with a message that came',
      ending: done,
      seen: { ...more, cancelGen: 1 },
      state: 'cancelled',
      reason: 'cancelled',
      next: 'run',
    },
  ])('$what', ({ ending, seen, state, reason, next }) => {
    const concluded = conclude(draft(ending), seen, 1_000);
    expect(concluded.session).toMatchObject({ state, run: { ended: state !== 'running' } });
    expect(concluded.session.reason).toBe(reason);
    expect(concluded.next.kind).toBe(next);
    const terminal = concluded.events.filter(({ type }) => type === 'RUN_FINISHED' || type === 'RUN_ERROR');
    expect(terminal).toHaveLength(state === 'running' ? 0 : 1);
  });

  test('the end of a run honours the cancel and clears its nudges; a run that continues keeps both', () => {
    expect(conclude(draft(done), cancelled, 0).session).toMatchObject({ cancelSeen: 1, nudges: [] });
    expect(conclude(draft(spent), cancelled, 0).session).toMatchObject({ cancelSeen: 1 });
    expect(conclude(draft(goOn), fence, 0).session).toMatchObject({ cancelSeen: 0, nudges: session.nudges });
  });

  test('a delay sets the due time of the next step', () => {
    expect(conclude(draft({ kind: 'continue', delayMs: 5_000 }), fence, 1_000).next).toEqual({
      kind: 'run',
      dueAt: 6_000,
    });
  });

  test.each([
    { ending: done, type: 'RUN_FINISHED', outcome: { type: 'success' }, success: true },
    { ending: parked, type: 'RUN_FINISHED', outcome: { type: 'interrupt' }, success: false },
    {
      ending: halt('cancelled', 'cancelled'),
      type: 'RUN_FINISHED',
      outcome: { type: 'cancelled' },
      success: false,
    },
    { ending: halt('error', 'provider_error'), type: 'RUN_ERROR', outcome: undefined, success: false },
    { ending: halt('timed_out', 'timed_out'), type: 'RUN_ERROR', outcome: undefined, success: false },
  ])('T33: $type, success $success', ({ ending, type, outcome, success }) => {
    const { events } = conclude(draft(ending), fence, 0);
    const last = events.at(-1);
    expect(last?.type).toBe(type);
    if (outcome) expect(last).toMatchObject({ outcome });
    expect(events.at(-2)).toMatchObject({
      name: 'steploop.ended',
      value: { success, steps: 2, toolCalls: 1 },
    });
  });

  test('guard verdicts are emitted once, before the rest; a flag is no event', () => {
    const spoken: Spoken[] = [
      { kind: 'warn', code: 'w', message: 'Careful.', guard: 'g' },
      { kind: 'flag', code: 'f', reason: 'completed_truncated', guard: 'g' },
      { kind: 'nudge', code: 'n', text: 'Go on.', guard: 'g' },
    ];
    const { events } = conclude(
      draft(goOn, { spoken, events: [{ type: 'STEP_FINISHED', stepName: 'step 1' }] }),
      fence,
      0,
    );
    expect(events).toMatchObject([
      { name: 'steploop.guard', value: { action: 'warn', message: 'Careful.' } },
      { name: 'steploop.guard', value: { action: 'nudge', message: 'The guard g has advised the model.' } },
      { type: 'STEP_FINISHED' },
    ]);
  });
});

describe('a wait that stays open', () => {
  const question = {
    id: 'w1',
    callId: 'c1',
    tool: 'ask',
    kind: 'question',
    message: 'Which?',
    expiresAt: 9_000,
  } as const;
  const waits: readonly Wait[] = [question];
  const waiting: Session = {
    ...session,
    batch: { slot: 1, since: 0, waits } as unknown as NonNullable<Session['batch']>,
  };
  const left = (seen: readonly string[], over: readonly Wait[] = waits): Ending => ({
    kind: 'wait',
    still: { waits: over, seen } as StillOpen,
  });
  const concluded = (ending: Ending, of: Fence) =>
    conclude(draft(ending, { session: waiting, incorporated: [] }), of, 5_000).next;

  test('goes on for what its step has seen', () => {
    expect(concluded(left(['e1']), fence)).toEqual({ kind: 'wait_for_people', until: 9_000 });
  });

  test('ends when a message has come that its step has not seen', () => {
    expect(concluded(left(['e1']), more)).toEqual({ kind: 'run', dueAt: 5_000 });
  });

  test('goes on over a line of messages, of which none settles it', () => {
    expect(concluded(left(['e1']), beside)).toEqual({ kind: 'wait_for_people', until: 9_000 });
  });

  test('goes on for a message if a person must approve something: a message approves nothing', () => {
    const approval = { ...question, id: 'w2', kind: 'approval' } as const;
    expect(concluded(left([], [question, approval]), fence)).toEqual({
      kind: 'wait_for_people',
      until: 9_000,
    });
  });

  test('ends with a cancel', () => {
    expect(concluded(left(['e1']), cancelled)).toEqual({ kind: 'run', dueAt: 5_000 });
  });
});
