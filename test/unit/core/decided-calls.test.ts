import { describe, expect, test } from 'vitest';
import { newSession } from '../../../shared/agent/session/session.ts';
import type { ToolCall, ToolResult } from '../../../shared/agent/session/slots.ts';
import type { Decision, OpenBatch, Wait } from '../../../shared/agent/session/waits.ts';
import { type Decided, decidedCall } from '../../../shared/agent/step/batch/decided-calls.ts';
import { approvalId } from '../../../shared/agent/step/batch/waits.ts';
import { tool } from '../step/reading.fixture.ts';

/** The plan for a call of an open batch, by how its wait has ended. */

const key = { tenant: 't', sessionId: 's' };
const pay = tool('pay', undefined, { effect: 'once' });
const call: ToolCall = { id: 'c1', name: 'pay', input: { to: 'bob' } };
const result = (outcome: ToolResult['outcome'], content = 'kept'): ToolResult => ({
  ...{ callId: 'c1', name: 'pay', durationMs: 1, outcome, content },
});

interface Given {
  readonly kind?: Wait['kind'];
  readonly again?: true;
  readonly decision?: Partial<Decision>;
  /** The call's input when the person was asked, if it has changed since. */
  readonly askedFor?: object;
  readonly started?: boolean;
  readonly ends?: boolean;
  readonly messages?: number;
  readonly kept?: ToolResult;
  readonly intent?: boolean;
  readonly refused?: boolean;
}

function next({ kind = 'approval', again, decision, askedFor, kept, ...given }: Given) {
  const id =
    kind === 'approval' ? approvalId(key, 3, { ...call, input: askedFor ?? call.input }, pay) : 'wait';
  const wait: Wait = {
    id,
    callId: 'c1',
    tool: 'pay',
    kind,
    message: '',
    expiresAt: 9,
    ...(again && { again }),
  };
  const batch: OpenBatch = {
    ...{ slot: 3, waits: [wait], since: 0 },
    ...(given.refused && { refused: { c1: { guards: ['g'], result: 'Refused by a guard.' } } }),
  };
  const by = { approved: true, by: 'user:ann', at: 1, ...decision };
  const view = {
    session: newSession(key, 'a', 'd'),
    fence: {
      decisions: decision ? { [id]: by } : {},
      started: given.started ? { [id]: { invocationId: 'i', until: 5 } } : {},
    },
  };
  const inbox = Array.from({ length: given.messages ?? 0 }, (_, i) => ({ id: `e${i}`, text: 'Hm.' }));
  const loaded = { key, view, inbox, pinned: { limits: { maxCallsPerReply: 25 } } };
  const decided = {
    step: { loaded, tools: [pay], isRetry: false },
    batch,
    facts: {
      ...{ started: given.intent ? ['c1'] : [], answers: {}, answered: [] },
      results: new Map(kept ? [['c1', kept]] : []),
    },
    ends: given.ends ?? false,
    proposes: false,
    refused: new Map(),
    changeOf: undefined,
  } as unknown as Decided;
  const planned = decidedCall(decided, call, 0);
  return planned.kind === 'run' ? 'runs' : `${planned.result.outcome}: ${planned.result.content}`;
}

const yes = { approved: true };
const no = { approved: false, note: 'Not today.' };

describe('a call that waits', () => {
  test.each<[string, Given, string | RegExp]>([
    ['for an approval runs when it is approved', { decision: yes }, 'runs'],
    [
      'for an approval that was for other arguments does not run',
      { decision: yes, askedFor: { to: 'eve' } },
      /^refused/,
    ],
    ['for an approval is refused with the note of a denial', { decision: no }, /^refused: .*Not today/s],
    ['for an approval that was never given is refused at its end', {}, /^refused/],
    ['for an approval is cancelled if its run ends', { ends: true }, /^cancelled/],
    ['for an approval and was denied stays denied if its run ends', { decision: no, ends: true }, /^refused/],
    [
      'for a person to overrule a guard has the refusal of the guard',
      { refused: true },
      'refused: Refused by a guard.',
    ],
    ['for an answer has it as its result', { kind: 'question', decision: { note: 'Blue.' } }, 'ok: Blue.'],
    ['for an answer is refused with a denial', { kind: 'question', decision: no }, /^refused: .*Not today/s],
    ['for an answer is told that a message came instead', { kind: 'question', messages: 1 }, /^ok: /],
    ['for an answer that was never given is refused at its end', { kind: 'question' }, /^refused/],
    [
      'for an answer is cancelled if its run ends',
      { kind: 'question', ends: true, messages: 1 },
      /^cancelled/,
    ],
    [
      'for the answer to its own question runs again',
      { kind: 'question', again: true, decision: yes },
      'runs',
    ],
    ['for a worker that never began it is cancelled', { kind: 'call' }, /^cancelled/],
    ['for a worker that began it has an unknown outcome', { kind: 'call', started: true }, /^unknown/],
    [
      'for a worker that began it has an unknown outcome if its run ends',
      { kind: 'call', started: true, ends: true },
      /^unknown/,
    ],
    ['for an answer from outside has an unknown outcome without one', { kind: 'callback' }, /^unknown/],
  ])('%s', (_, given, comes) => {
    expect(next(given)).toMatch(typeof comes === 'string' ? new RegExp(`^${comes}$`) : comes);
  });
});

describe('what is known of a call comes before any decision', () => {
  const kinds: Wait['kind'][] = ['approval', 'question', 'call', 'callback'];
  const every = kinds.flatMap((kind) => [false, true].map((ends) => [kind, ends] as const));

  test.each(every)('its stored result stands (%s, run ends: %s)', (kind, ends) => {
    expect(next({ kind, ends, decision: yes, kept: result('ok') })).toBe('ok: kept');
    expect(next({ kind, ends, intent: true, kept: result('error') })).toBe('error: kept');
  });

  test.each(every)('its start without a result is an unknown outcome (%s, run ends: %s)', (kind, ends) => {
    expect(next({ kind, ends, decision: yes, intent: true })).toMatch(/^unknown/);
  });
});
