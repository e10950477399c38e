import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Effect } from '../../../shared/agent/config/effects.ts';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { decide } from '../../../shared/agent/entrypoints/decide.ts';
import { sweep } from '../../../shared/agent/entrypoints/sweep.ts';
import type { ToolContext } from '../../../shared/agent/tools/tool.ts';
import { failAfter, killAfter, killBefore } from '../../../testing/faults.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { settleWithCalls } from '../../support/queued-calls.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { custom, ofType, resultsOf } from './reading.fixture.ts';

/** A tool that asks for a size and a colour, and then does its work, once. */
function ordering(effect: Effect, where: 'inline' | 'queue') {
  const starts: (readonly string[])[] = [];
  const orders: string[] = [];
  const tool = defineTool({
    name: 'order',
    description: 'Orders a shirt.',
    effect,
    where,
    approval: 'never',
    input: z.object({}),
    run: (_input, { answers, ask }: ToolContext) => {
      starts.push(answers);
      if (answers.length < 2) return ask(answers.length === 0 ? 'Which size?' : 'Which colour?');
      orders.push(answers.join(' '));
      return { ordered: answers };
    },
  });
  return { tool, starts, orders };
}

async function orderingWorld(effect: Effect, where: 'inline' | 'queue') {
  const order = ordering(effect, where);
  const model = scriptedModel(calls(['order', {}]), says('Done.'), says('Well.'));
  const world = await sessionWorld({ tools: [order.tool] }, model);
  await world.say('A shirt.');
  await settleWithCalls(world);
  const waits = async () => (await world.view()).session.batch?.waits ?? [];
  const answer = async (note: string, approved = true) => {
    const [wait] = await waits();
    const decided = await decide(world.key, wait?.id ?? '', { approved, by: 'user:ada', note }, world);
    await settleWithCalls(world);
    return decided;
  };
  const result = async () => resultsOf(await world.slots())[0];
  return { world, waits, answer, result, ...order };
}

const table = (['inline', 'queue'] as const).flatMap((where) =>
  (['read', 'idempotent', 'once'] as const).map((effect) => [effect, where] as const),
);

describe.each(table)('a tool that asks in the middle of a call: %s, %s', (effect, where) => {
  test('runs again with each answer, and has one result', async () => {
    const { world, waits, answer, result, starts, orders } = await orderingWorld(effect, where);
    expect(await waits()).toMatchObject([{ kind: 'question', message: 'Which size?', tool: 'order' }]);
    expect((await world.view()).session).toMatchObject({
      state: 'waiting_for_input',
      reason: 'awaiting_user',
    });
    const first = (await waits())[0]?.id;
    expect(await answer('L')).toBe('decided');
    expect(await waits()).toMatchObject([{ kind: 'question', message: 'Which colour?' }]);
    expect((await waits())[0]?.id).not.toBe(first);
    expect(await decide(world.key, first ?? '', { approved: true, by: 'user:eve', note: 'S' }, world)).toBe(
      'closed',
    );
    await world.clock.advance(3_600_000);
    expect(await answer('red')).toBe('decided');
    expect(starts).toEqual([[], ['L'], ['L', 'red']]);
    expect(orders).toEqual(['L red']);
    expect(await result()).toMatchObject({ outcome: 'ok', content: '{"ordered":["L","red"]}' });
    expect((await world.view()).session.state).toBe('completed');
    expect(ofType(await world.events(), 'TOOL_CALL_RESULT')).toHaveLength(1);
    expect(custom(await world.events(), 'steploop.decided')).toMatchObject([
      { outcome: 'answered', by: 'user:ada' },
      { outcome: 'answered', by: 'user:ada' },
    ]);
  });

  test('has no effect if its question is refused, not answered, or the run is stopped', async () => {
    for (const end of ['refused', 'expired', 'stopped', 'message'] as const) {
      const { world, answer, result, orders } = await orderingWorld(effect, where);
      if (end === 'refused') await answer('no shirts today', false);
      if (end === 'stopped') await cancel(world.key, world);
      if (end === 'message') await world.say('Never mind the shirt, buy socks.');
      if (end === 'expired') {
        await world.clock.advance(86_401_000);
        await sweep(world);
      }
      await settleWithCalls(world);
      expect(orders).toEqual([]);
      const said = {
        refused: ['refused', /no shirts today/],
        expired: ['refused', /unanswered/],
        stopped: ['cancelled', /cancelled/],
        message: ['refused', /written the message that follows/],
      } as const;
      const [outcome, content] = said[end];
      expect(await result()).toMatchObject({ outcome, content: expect.stringMatching(content) });
    }
  });
});

describe('a tool that asks', () => {
  test('and whose worker dies anywhere asks again, and does its work once', async () => {
    for (const fault of [killBefore, killAfter, failAfter])
      for (const place of ['sessions.commit', 'sessions.decide', 'queue.send', 'sessions.claim'] as const) {
        const { world, answer, orders } = await orderingWorld('idempotent', 'inline');
        world.faults.at(place, fault, 1);
        await answer('L');
        await answer('red');
        expect(orders).toEqual(['L red']);
        expect((await world.view()).session.state).toBe('completed');
      }
  });

  test('too often, or an empty question, gets an error', async () => {
    const asks = defineTool({
      name: 'asks',
      description: 'Asks.',
      effect: 'read',
      input: z.object({ empty: z.boolean() }),
      run: ({ empty }, { ask }: ToolContext) => ask(empty ? ' ' : 'Again?'),
    });
    const model = scriptedModel(calls(['asks', { empty: true }], ['asks', { empty: false }]), says('Done.'));
    const world = await sessionWorld({ tools: [asks] }, model);
    await world.say('Ask.');
    await settleWithCalls(world);
    for (let n = 0; n < 10; n++) {
      const [wait] = (await world.view()).session.batch?.waits ?? [];
      await decide(world.key, wait?.id ?? '', { approved: true, by: 'user:ada', note: 'yes' }, world);
      await settleWithCalls(world);
    }
    expect(resultsOf(await world.slots())).toMatchObject([
      { outcome: 'error', content: expect.stringMatching(/the question is empty/) },
      { outcome: 'error', content: expect.stringMatching(/10 questions at most/) },
    ]);
  });

  test('and other waiting calls: people first, each call once, results in order', async () => {
    const order = ordering('once', 'inline');
    const later = defineTool({
      name: 'export_data',
      description: 'Exports.',
      effect: 'once',
      approval: 'never',
      input: z.object({}),
      run: (_input, context: ToolContext) => context.later({ expiresAfterSeconds: 60 }),
    });
    const slow = { ...ordering('read', 'queue').tool, name: 'slow', run: () => 'slowly' };
    const model = scriptedModel(calls(['export_data', {}], ['order', {}], ['slow', {}]), says('Done.'));
    const world = await sessionWorld({ tools: [order.tool, later, slow] }, model);
    await world.say('Go.');
    await settleWithCalls(world);
    for (const note of ['L', 'red']) {
      const waits = (await world.view()).session.batch?.waits ?? [];
      expect(waits.map(({ kind }) => kind)).toEqual(['question']);
      await decide(world.key, waits[0]?.id ?? '', { approved: true, by: 'user:ada', note }, world);
      await settleWithCalls(world);
    }
    await world.clock.advance(61_000);
    await settleWithCalls(world);
    expect(resultsOf(await world.slots()).map(({ name, outcome }) => [name, outcome])).toEqual([
      ['export_data', 'unknown'],
      ['order', 'ok'],
      ['slow', 'ok'],
    ]);
    expect(order.orders).toEqual(['L red']);
    const told = ofType(await world.events(), 'TOOL_CALL_RESULT').map(({ toolCallId }) => toolCallId);
    expect(told).toHaveLength(3);
  });
});
