import { describe, expect, test } from 'vitest';
import { defineGuard } from '../../../shared/agent/guardrails/guard.ts';
import { calls, says } from '../../../testing/scripted-model.ts';
import { tool } from '../step/reading.fixture.ts';
import { loop, looped, read, times } from './loops.fixture.ts';

/** The example of docs/guards.md. */
const fewRefunds = (most: number) =>
  defineGuard<{ refunds: number; orders: readonly string[] }, { most: number }>({
    name: 'few_refunds',
    settings: { most },
    scope: 'run',
    initial: { refunds: 0, orders: [] },
    hooks: {
      call: ({ refunds, orders }, { call }, { most }) => {
        if (call.name !== 'refund') return undefined;
        if (refunds >= most) {
          const message = `At most ${most} refunds in a run (${orders.join(', ')}). Ask a person.`;
          return { verdict: { kind: 'block', code: 'refunds', message } };
        }
        const { orderId } = call.input as { orderId: string };
        return { state: { refunds: refunds + 1, orders: [...orders, orderId] } };
      },
      batch: ({ refunds }, _seen, { most }) =>
        refunds === most
          ? {
              verdict: {
                kind: 'nudge',
                code: 'last_refund',
                text: '[refunds] That was the last refund of this run.',
              },
            }
          : undefined,
    },
  });

const refund = tool('refund', () => 'refunded', { effect: 'once' });
const order = (i: number) => ({ orderId: `o${i}` });

describe('a custom guard', () => {
  test('runs with the built-in ones, keeps its state with the session, and appears where they do', async () => {
    const definition = { tools: [refund], guards: [fewRefunds(2)], guardrails: 'praisonai' as const };
    const { results, codes, slice, world } = await looped(definition, ...times(3, 'refund', order));
    expect(results.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'refused']);
    expect(results.at(-1)?.content).toBe(
      'Error [refused]: At most 2 refunds in a run (o0, o1). Ask a person.',
    );
    expect(slice('few_refunds')).toEqual({ refunds: 2, orders: ['o0', 'o1'] });
    expect(codes).toEqual(['nudge last_refund', 'warn mutating_warn', 'block refunds', 'nudge last_refund']);
    expect(world.meter.verdicts).toContainEqual({
      agent: 'test',
      guard: 'few_refunds',
      action: 'block',
      code: 'refunds',
    });
  });

  test('its state is reset with the next run', async () => {
    const world = await loop(
      { tools: [refund], guards: [fewRefunds(2)] },
      ...times(2, 'refund', order),
      says('two refunds'),
      calls(['refund', order(3)]),
    );
    await world.settle();
    await world.say('one more');
    await world.settle();
    expect((await read(world)).slice('few_refunds')).toEqual({ refunds: 1, orders: ['o3'] });
  });

  test('its nudges give way to those of the guards before it', async () => {
    const same = times(3, 'refund', order(1));
    const { verdicts } = await looped({ tools: [refund], guards: [fewRefunds(3)] }, ...same);
    expect(verdicts.filter(({ kind }) => kind === 'nudge')).toMatchObject([
      { guard: 'call_streak' },
      { guard: 'few_refunds', unsaid: true },
    ]);
  });

  test('when it only warns about an answer, the nudges and flags of others stand, and people read the warning', async () => {
    const careful = defineGuard({
      name: 'careful',
      scope: 'run',
      initial: {},
      hooks: { complete: () => ({ verdict: { kind: 'warn', code: 'careful', message: 'Read it twice.' } }) },
    });
    const { codes, slots, end } = await looped(
      { tools: [refund], guards: [careful], guardrails: { truncation: { max: 0 } } },
      says("I'll look at the order next."),
      says('Order 7 is', { stop: 'max_tokens' }),
    );
    expect(codes).toEqual(['nudge planning_prose', 'warn careful', 'warn careful']);
    expect(slots.at(-1)?.verdicts).toMatchObject([{ kind: 'flag' }, { kind: 'warn' }]);
    expect(end).toEqual({ state: 'completed', reason: 'completed_truncated', steps: 2 });
  });
});
