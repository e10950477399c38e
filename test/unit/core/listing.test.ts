import { describe, expect, test } from 'vitest';
import {
  hasMoved,
  listedState,
  standingOf,
  standingWhenBegun,
} from '../../../shared/agent/session/listing.ts';
import { newRun, newSession, noTotals, type Session } from '../../../shared/agent/session/session.ts';
import { titleOf } from '../../../shared/agent/session/title.ts';
import type { Reason, State } from '../../../shared/contract/session.ts';

const session = (state: State, reason?: Reason, over: Partial<Session> = {}): Session => ({
  ...newSession({ tenant: 'acme', sessionId: 's1' }, 'triage', 'hash'),
  state,
  ...(reason && { reason }),
  ...over,
});
const idle = session('idle');
const running = session('running');
const queued = session('waiting_for_tool');
const outside = session('waiting_for_tool', 'awaiting_callback');
const asking = session('waiting_for_input', 'awaiting_approval');
const done = session('completed', 'completed');

describe('the list entry of a session', () => {
  test.each<[State, Session]>([
    ['idle', idle],
    ['running', running],
    ['running', queued],
    ['waiting_for_tool', outside],
    ['waiting_for_input', asking],
    ['completed', done],
    ['error', session('error', 'provider_error')],
  ])('is %s', (state, of) => expect(listedState(of)).toBe(state));

  test.each<[string, Session, Session, boolean]>([
    ['a run begins: the route of its message has listed it', done, running, false],
    ['a run begins in a new session', idle, running, false],
    ['a step continues the run', running, running, false],
    ['it waits for queued calls', running, queued, false],
    ['their results have arrived', queued, running, false],
    ['it asks people', running, asking, true],
    ['people have decided', asking, running, true],
    ['an external answer has arrived', outside, running, true],
    ['a run ends', running, done, true],
    ['a run of one step ends', done, done, true],
  ])('moves or not when %s', (_, before, after, moved) => expect(hasMoved(before, after)).toBe(moved));

  test('shows how a run ended and what is asked, and nothing of the run before', () => {
    const lastEnding = {
      state: 'error',
      reason: 'provider_error',
      code: 'x',
      message: 'm'.repeat(300),
      at: 1,
    } as const;
    const run = { ...newRun, steps: 3, startedAt: -60, pausedMs: 10, model: 'claude', ended: true };
    const failed = standingOf(session('error', 'provider_error', { run, lastEnding }), 7, 99);
    expect(failed).toEqual({
      ...{
        agent: 'triage',
        state: 'error',
        reason: 'provider_error',
        steps: 3,
        totals: noTotals,
        at: 99,
        order: 14,
      },
      message: 'm'.repeat(200),
      model: 'claude',
      // It moves when it ends, and not when the end is reported again.
      ranMs: 51,
    });
    const begun = standingWhenBegun(done, 7, 100);
    expect(begun.order).toBeGreaterThan(failed.order);
    expect(begun.order).toBeLessThan(standingOf(done, 8, 50).order);
    const next = session('running', 'completed', { run: { ...run, ended: false }, lastEnding });
    expect(standingOf(next, 8, 101)).toEqual({
      ...{ agent: 'triage', state: 'running', steps: 3, totals: noTotals, at: 101, order: 16 },
      model: 'claude',
    });
  });

  test.each([
    ['Where is it?', 'Where is it?'],
    ['  \n Where is it? \n\nI have waited.', 'Where is it?'],
    ['', ''],
    ['x'.repeat(120), 'x'.repeat(120)],
    ['x'.repeat(121), `${'x'.repeat(119)}…`],
    [`${'x'.repeat(118)}👩‍🚀👩‍🚀`, `${'x'.repeat(118)}\ufffd…`],
  ])('has the title %j after its first message', (text, title) => expect(titleOf(text)).toBe(title));
});
