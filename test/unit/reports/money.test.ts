/** Public reports on the cost of replies. Each test begins with the report's id. */

import { describe, expect, test } from 'vitest';
import { accountsOf } from '../../../shared/agent/budgets/escrow.ts';
import { shardOf } from '../../../shared/agent/budgets/reserve.ts';
import { decide } from '../../../shared/agent/entrypoints/decide.ts';
import {
  blockEvents,
  message,
  messageDelta,
  messageStart,
  messageStop,
  text,
  toolUse,
} from '../../support/model-events.ts';
import { type Piece, reply } from '../../support/model-server.ts';
import { servedWorld } from '../../support/served-world.ts';
import type { SessionWorld } from '../../support/session-world.ts';
import { custom, ending, tool } from '../step/reading.fixture.ts';

const price = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 };

/** A reply of the Messages API with such a usage. */
const used = (usage: Record<string, unknown>): Piece[] => [
  messageStart({ ...usage, output_tokens: 1 } as Record<string, number>),
  ...blockEvents(text('Nine.'), 0),
  messageDelta('end_turn', { output_tokens: 1 }),
  messageStop,
];

/** Today's charge of the tenant, in millionths of a dollar. */
async function chargedTo({ clock, budgetStore }: SessionWorld): Promise<number> {
  const day = { tenant: 'acme', day: new Date(clock.now()).toISOString().slice(0, 10) };
  const n = shardOf('s1');
  const { left } = await budgetStore.shard(day, n);
  const { total } = accountsOf(await budgetStore.root(day), n).granted;
  return total.microUsd - left.microUsd;
}

describe('the cost of a cache write', () => {
  test('one-hour-cache-price: a write for an hour is reported and charged at twice the input', async () => {
    const request = { cache_control: { type: 'ephemeral', ttl: '1h' } };
    const usage = {
      input_tokens: 10,
      cache_creation_input_tokens: 1_000_000,
      cache_creation: { ephemeral_1h_input_tokens: 1_000_000, ephemeral_5m_input_tokens: 0 },
    };
    const limits = { tenantLimits: { microUsd: 50_000_000 } };
    await using served = await servedWorld(
      { model: { name: 'm', price, request } },
      [reply(used(usage))],
      limits,
    );
    const events = await served.hear();
    expect(ending(events)).toMatchObject({ state: 'completed' });
    expect(custom(events, 'steploop.usage')).toMatchObject([
      {
        usage: { input: 10, cacheWrite: 1_000_000, cacheWrite1h: 1_000_000, output: 1 },
        costUsd: 4.00003,
        totals: { costUsd: 4.00003, cacheWrite1h: 1_000_000 },
      },
    ]);
    expect(await chargedTo(served.world)).toBe(4_000_030);
  });

  test('one-hour-cache-price: writes of both lifetimes are charged each at its own price', async () => {
    const usage = {
      input_tokens: 0,
      cache_creation_input_tokens: 300_000,
      cache_creation: { ephemeral_1h_input_tokens: 200_000, ephemeral_5m_input_tokens: 100_000 },
    };
    await using served = await servedWorld({ model: { name: 'm', price } }, [reply(used(usage))]);
    const [told] = custom(await served.hear(), 'steploop.usage');
    expect(told?.costUsd).toBe(0.2 * 4 + 0.1 * 2.5 + 0.00001);
  });
});

describe('the lifetime of the cached prefix', () => {
  const pay = { ...tool('pay', () => 'paid'), approval: 'always' } as const;
  const script = () => [
    reply(message([toolUse('t1', 'pay', '{}')], 'tool_use')),
    reply(message([text('Paid.')])),
  ];
  const ttls = (body: Readonly<Record<string, unknown>> | undefined) => {
    const ttl = (one: object) =>
      'cache_control' in one ? ((one.cache_control as { ttl?: string }).ttl ?? '5m') : undefined;
    const { tools = [], system = [], messages = [] } = body as Record<string, { content?: object[] }[]>;
    return {
      tools: tools.map(ttl),
      system: system.map(ttl),
      messages: messages.flatMap(({ content = [] }) => content.map(ttl)).filter(Boolean),
    };
  };

  test('cache-gone-after-approval: tools and system may be cached for an hour while people decide', async () => {
    const model = { name: 'm', cache: { system: '1h' } } as const;
    await using served = await servedWorld({ model, tools: [pay] }, script());
    await served.hear();
    const [id = ''] = (await served.world.view()).fence.pending;
    await served.world.clock.advance(6 * 60_000);
    await decide(served.world.key, id, { approved: true, by: 'user:ada' }, served.world);
    await served.world.settle();
    expect(ending(await served.world.events())).toMatchObject({ state: 'completed' });
    expect(served.server.requests.map(({ body }) => ttls(body))).toEqual([
      { tools: ['1h'], system: ['1h'], messages: ['5m'] },
      { tools: ['1h'], system: ['1h'], messages: ['5m'] },
    ]);
  });
});
