import { describe, expect, test } from 'vitest';
import { type AnyGuard, defineGuard, type Stages } from '../../../shared/agent/guardrails/guard.ts';
import { judge, slicesForNewRun } from '../../../shared/agent/guardrails/judge.ts';
import { newSession, type Session } from '../../../shared/agent/session/session.ts';
import { says } from '../../../testing/scripted-model.ts';

const session = newSession({ tenant: 't', sessionId: 's' }, 'a', 'd');
const outcome = says('ok');
const reply = outcome.kind === 'reply' ? outcome.reply : undefined;
if (!reply) throw new Error('no reply');

type Said = Stages['complete']['verdict'];
const verdicts: Record<Said['kind'], Said> = {
  check: { kind: 'check', code: 'c', message: 'Looking.', tool: 't', input: {} },
  flag: { kind: 'flag', code: 'f', reason: 'completed_truncated' },
  nudge: { kind: 'nudge', code: 'n', text: 'Go on.' },
  warn: { kind: 'warn', code: 'w', message: 'Careful.' },
  halt: { kind: 'halt', code: 'h', message: 'Stop.', state: 'error', reason: 'loop_halt' },
};

const saying = (name: string, verdict?: Said): AnyGuard =>
  defineGuard({
    name,
    scope: 'run',
    initial: { n: 0 },
    hooks: { complete: ({ n }) => ({ state: { n: n + 1 }, ...(verdict && { verdict }) }) },
  });
const complete = (guards: AnyGuard[], of: Session = session) =>
  judge(guards, 'complete', of, { reply, textOnly: false, tools: [] });

describe('judge', () => {
  const order = ['warn', 'flag', 'nudge', 'halt'] as const;
  const pairs = order.flatMap((weak, i) => order.slice(i + 1).map((strong) => ({ weak, strong })));

  test.each(pairs)('of a completion $strong is stronger than $weak, in either order', ({ weak, strong }) => {
    const guards = [saying('a', verdicts[weak]), saying('b', verdicts[strong])];
    expect(complete(guards).verdict).toMatchObject({ kind: strong, guard: 'b' });
    expect(complete(guards.toReversed()).verdict).toMatchObject({ kind: strong, guard: 'b' });
  });

  test.each(order)('of two verdicts %s the first in order wins', (kind) => {
    expect(complete([saying('a', verdicts[kind]), saying('b', verdicts[kind])]).verdict?.guard).toBe('a');
  });

  test('all verdicts are journaled, in order', () => {
    const guards = [
      saying('a', verdicts.warn),
      saying('b'),
      saying('c', verdicts.halt),
      saying('d', verdicts.nudge),
    ];
    expect(complete(guards).spoken.map(({ guard, kind }) => [guard, kind])).toEqual([
      ['a', 'warn'],
      ['c', 'halt'],
      ['d', 'nudge'],
    ]);
  });

  test('no verdict is given if no guard has one', () => {
    expect(complete([saying('a')])).toMatchObject({ verdict: undefined, spoken: [] });
  });

  test("every guard's state advances, also if one halts", () => {
    const { metadata } = complete([saying('a', verdicts.halt), saying('b')]).session;
    expect(metadata.guardrails).toEqual({ a: { n: 1 }, b: { n: 1 } });
  });

  test('missing slices and keys are filled with defaults', () => {
    const seen: unknown[] = [];
    const guard = defineGuard<{ a: number; b: string }>({
      name: 'g',
      scope: 'session',
      initial: { a: 1, b: 'x' },
      hooks: { complete: (state) => void seen.push(state) },
    });
    complete([guard]);
    complete([guard], { ...session, metadata: { guardrails: { g: { a: 5 } } } });
    expect(seen).toEqual([
      { a: 1, b: 'x' },
      { a: 5, b: 'x' },
    ]);
  });

  test('judging again from the same state gives the same verdict: nothing is counted twice', () => {
    const guards = [saying('a', verdicts.warn)];
    expect(complete(guards)).toEqual(complete(guards));
    expect(session.metadata.guardrails).toEqual({});
  });

  test('hooks of other stages are not called', () => {
    expect(
      judge([saying('a', verdicts.halt)], 'inject', session, {
        said: [],
        textOnly: false,
        context: { tokens: () => 0, slots: [] },
      }),
    ).toMatchObject({
      verdict: undefined,
    });
  });
});

describe('slicesForNewRun', () => {
  const scoped = (name: string, scope: 'session' | 'run' | 'streak') =>
    defineGuard({ name, scope, initial: {}, hooks: {} });

  test('run and streak are reset, session stays, and so do unknown entries', () => {
    const slices = { s: { n: 1 }, r: { n: 1 }, k: { n: 1 }, gone: { n: 1 } };
    const guards = [scoped('s', 'session'), scoped('r', 'run'), scoped('k', 'streak')];
    expect(slicesForNewRun(guards, slices)).toEqual({ s: { n: 1 }, gone: { n: 1 } });
  });
});
