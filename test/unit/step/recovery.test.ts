import { describe, expect, test } from 'vitest';
import { toSnapshot } from '../../../shared/agent/events/snapshot.ts';
import {
  failAfter,
  failBefore,
  justBefore,
  killAfter,
  killBefore,
  type Operation,
} from '../../../testing/faults.ts';
import { calls, fails, says, saysAndCalls, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { clientView, verifyOrder } from './client-view.fixture.ts';
import { custom, ending, notedTool, resultsOf, tool } from './reading.fixture.ts';

describe('adopting a dead owner’s reply', () => {
  test.each<{ at: Operation; nth: number; what: string }>([
    { at: 'sessions.putSlot', nth: 1, what: 'after the reply was put' },
    { at: 'sessions.putSlot', nth: 2, what: 'after the results were put' },
  ])('killed $what: the model is not called again, and its usage is counted once', async ({ at, nth }) => {
    const model = scriptedModel(saysAndCalls('Looking.', ['get', {}]), says('ok'));
    const world = await sessionWorld({ tools: [tool('get', undefined, { effect: 'idempotent' })] }, model);
    await world.say('hi');
    world.faults.at(at, killAfter, nth);
    await world.settle();
    expect(model.requests).toHaveLength(2);
    expect((await world.view()).session.totals).toMatchObject({ input: 200, output: 100 });
    const events = await world.events();
    expect(custom(events, 'steploop.recovered')).toMatchObject([{ attempt: 2, adopted: true }]);
    expect(custom(events, 'steploop.usage')).toHaveLength(2);
    await verifyOrder(events);
    expect(clientView(events).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });

  test('killed before the reply was put: the model is called once more, and the lost attempt is charged', async () => {
    const model = scriptedModel(says('lost'), says('kept'));
    const world = await sessionWorld({ model: { name: 'm', price: { input: 1, output: 1 } } }, model);
    await world.say('x'.repeat(4_000));
    world.faults.at('sessions.putSlot', killBefore);
    await world.settle();
    expect(model.requests).toHaveLength(2);
    const { totals } = (await world.view()).session;
    expect(totals.input).toBeGreaterThan(1_000);
    expect(totals.input).toBeLessThan(1_300);
    expect(totals.output).toBe(50);
    expect(totals.costUsd).toBeCloseTo((totals.input + totals.output) / 1e6, 12);
  });

  test('clients are told up to which frame the dead attempt is known', async () => {
    const world = await sessionWorld({}, scriptedModel(says('lost'), says('kept')));
    await world.say('hi');
    await world.sessions.subscribe(world.key, 'c1');
    world.faults.at('sessions.putSlot', async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return world.kill();
    });
    await world.step();
    const told = await world.log.read(world.key, 0, 1_000);
    expect(told.length).toBeGreaterThan(0);
    await world.settle();
    const upTo = told.at(-1)?.seq;
    expect(custom(await world.events(), 'steploop.recovered')).toMatchObject([{ upTo }]);
  });

  test('a lost attempt is charged also when the next attempt is refused by the provider', async () => {
    const world = await sessionWorld({}, scriptedModel(says('lost'), fails(), says('kept')));
    await world.say('x'.repeat(4_000));
    world.faults.at('sessions.putSlot', killBefore);
    await world.settle();
    expect((await world.view()).session.totals.input).toBeGreaterThan(1_000);
  });

  test('a complete tools slot is used: nothing runs again', async () => {
    const add = notedTool('add', 'idempotent');
    const world = await sessionWorld({ tools: [add.tool] }, scriptedModel(calls(['add', {}]), says('ok')));
    await world.say('hi');
    world.faults.at('sessions.commit', killBefore);
    await world.settle();
    expect(add.keys).toHaveLength(1);
    expect(world.model.requests).toHaveLength(2);
  });

  test('results that were written beside a reply that was never written are not used for another reply', async () => {
    const [first, second] = [calls(['get', { of: 'first' }]), calls(['get', { of: 'second' }])];
    const world = await sessionWorld(
      { tools: [tool('get', ({ of }) => of)] },
      scriptedModel(first, second, says('ok')),
    );
    await world.say('hi');
    // The reply's slot cannot be written; its batch, of reads, runs and is written all the same.
    world.faults.at('sessions.putSlot', failBefore);
    expect(await world.step()).toBe('retry');
    world.faults.at('sessions.putSlot', killAfter);
    await world.settle();
    expect(resultsOf(await world.slots())).toMatchObject([{ content: 'second' }]);
  });

  test('a reply that waits at the next slot of an ended run is not adopted', async () => {
    const world = await sessionWorld(
      { limits: { maxAttempts: 1 } },
      scriptedModel(says('lost'), says('fresh')),
    );
    await world.say('hi');
    world.faults.at('sessions.commit', killBefore);
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ reason: 'crash_loop' });
    await world.say('again');
    await world.settle();
    expect(clientView(await world.events()).at(-1)).toMatchObject({ content: 'fresh' });
  });
});

describe('clients of a conversation that is too long for one snapshot', () => {
  test('see the message and the adopted reply of a recovered step', async () => {
    const world = await sessionWorld({}, scriptedModel(says('long indeed'), says('short')));
    await world.say('x'.repeat(31_000));
    await world.settle();
    await world.say('and a short one');
    world.faults.at('sessions.commit', killBefore);
    await world.settle();
    // The messages that a client reads on request: the request comes with the commit, so they include the commit.
    const fetched = toSnapshot(await world.slots());
    expect(fetched).toHaveLength(4);
    expect(clientView(await world.events(), fetched)).toEqual(fetched);
  });
});

describe('tools of a dead attempt', () => {
  test('a once tool that was killed inside never runs again: its outcome is unknown', async () => {
    const refund = notedTool('refund', 'once', () => world.kill());
    const world = await sessionWorld(
      { tools: [refund.tool] },
      scriptedModel(calls(['refund', {}]), says('It may have gone through.')),
    );
    await world.say('refund me');
    await world.settle();
    expect(refund.keys).toHaveLength(1);
    expect(resultsOf(await world.slots())).toMatchObject([
      { outcome: 'unknown', content: expect.stringContaining('unknown_outcome') },
    ]);
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(world.model.requests).toHaveLength(2);
  });

  test('a once tool whose fence was recorded and which never started does not run: its outcome is unknown', async () => {
    const refund = notedTool('refund', 'once');
    const world = await sessionWorld(
      { tools: [refund.tool] },
      scriptedModel(calls(['refund', {}]), says('ok')),
    );
    await world.say('refund me');
    world.faults.at('sessions.fence', killAfter);
    await world.settle();
    expect(refund.keys).toEqual([]);
    expect(resultsOf(await world.slots())).toMatchObject([{ outcome: 'unknown' }]);
  });

  test('a once tool with a recorded start and a late reply does not run: another attempt has failed meanwhile', async () => {
    const refund = notedTool('refund', 'once');
    const overloaded = {
      kind: 'retry',
      code: 'overloaded',
      message: 'overloaded',
      rateLimited: false,
    } as const;
    const script = [calls(['get', {}]), calls(['refund', {}]), fails(overloaded), says('ok')];
    const tools = [tool('get'), refund.tool];
    // The cost of a dead attempt would be kept in a slot of its own, and nothing comes late there.
    const guardrails = { budget: { chargeLostAttempts: false } };
    const world = await sessionWorld({ tools, guardrails }, scriptedModel(...script));
    let onRecord = () => {};
    const recorded = new Promise<void>((resolve) => {
      onRecord = resolve;
    });
    world.faults.at('sessions.fence', async (proceed) => {
      const answer = await proceed();
      onRecord();
      return answer;
    });
    let arrives: () => Promise<unknown> = async () => {};
    const heldUp = async (proceed: () => Promise<unknown>) => {
      await recorded;
      arrives = proceed;
      return world.kill();
    };
    await world.say('refund me');
    world.faults.at('sessions.putSlot', heldUp, 3);
    await world.step();
    await world.step();
    world.faults.at('sessions.commit', async (proceed) => {
      const committed = await proceed();
      await arrives();
      return committed;
    });
    await world.settle();
    expect(refund.keys).toEqual([]);
    expect(resultsOf(await world.slots())).toMatchObject([{ name: 'get' }, { outcome: 'unknown' }]);
  });

  test('a once tool that was not fenced yet runs once', async () => {
    const refund = notedTool('refund', 'once');
    const world = await sessionWorld(
      { tools: [refund.tool] },
      scriptedModel(calls(['refund', {}]), says('ok')),
    );
    await world.say('refund me');
    world.faults.at('sessions.fence', killBefore);
    await world.settle();
    expect(refund.keys).toHaveLength(1);
    expect(resultsOf(await world.slots())).toMatchObject([{ outcome: 'ok' }]);
  });

  test('a once tool whose result was kept: the kept result is used', async () => {
    const refund = notedTool('refund', 'once', () => 'refunded 7');
    const world = await sessionWorld(
      { tools: [refund.tool] },
      scriptedModel(calls(['refund', {}]), says('ok')),
    );
    await world.say('refund me');
    world.faults.at('sessions.putResult', killAfter);
    await world.settle();
    expect(refund.keys).toHaveLength(1);
    expect(resultsOf(await world.slots())).toMatchObject([{ outcome: 'ok', content: 'refunded 7' }]);
  });

  test('a result that could not be kept costs nothing while its worker lives', async () => {
    const refund = notedTool('refund', 'once', () => 'refunded 7');
    const world = await sessionWorld(
      { tools: [refund.tool] },
      scriptedModel(calls(['refund', {}]), says('ok')),
    );
    await world.say('refund me');
    world.faults.at('sessions.putResult', failAfter);
    await world.settle();
    expect(resultsOf(await world.slots())).toMatchObject([{ outcome: 'ok', content: 'refunded 7' }]);
    expect(world.model.requests).toHaveLength(2);
  });

  describe('S-3: of a batch of once calls, whose worker died in call number', () => {
    /** Three calls; the worker dies once, inside the given one. */
    const batch = async (dies: number, more: { limits?: { maxAttempts: number } } = {}) => {
      const started: number[] = [];
      const pay = tool(
        'pay',
        ({ n }) => {
          started.push(Number(n));
          return n === dies ? world.kill() : `paid ${n}`;
        },
        { effect: 'once' },
      );
      const world = await sessionWorld(
        { tools: [pay], ...more },
        scriptedModel(calls(['pay', { n: 1 }], ['pay', { n: 2 }], ['pay', { n: 3 }]), says('ok')),
      );
      await world.say('pay all three');
      return { world, started };
    };
    const tell = async (world: SessionWorld) =>
      resultsOf(await world.slots()).map(({ outcome, content }) =>
        outcome === 'ok' ? content : outcome === 'cancelled' ? 'not started' : outcome,
      );

    test.each([
      { dies: 1, told: ['unknown', 'paid 2', 'paid 3'] },
      { dies: 2, told: ['paid 1', 'unknown', 'paid 3'] },
      { dies: 3, told: ['paid 1', 'paid 2', 'unknown'] },
    ])(
      '$dies: only that one is reported as started, and the others as never begun',
      async ({ dies, told }) => {
        const { world, started } = await batch(dies);
        await world.settle();
        expect(started).toEqual([1, 2, 3]);
        expect(await tell(world)).toEqual(told);
      },
    );

    test.each([
      { dies: 1, told: ['unknown', 'not started', 'not started'] },
      { dies: 2, told: ['paid 1', 'unknown', 'not started'] },
    ])('$dies: if the run ends there, the others are reported as not started', async ({ dies, told }) => {
      const { world, started } = await batch(dies, { limits: { maxAttempts: 1 } });
      await world.settle();
      expect(started).toHaveLength(dies);
      expect(await tell(world)).toEqual(told);
    });

    test('2, after another worker had taken over: the dead one begins nothing more', async () => {
      const { world, started } = await batch(0);
      world.faults.at('sessions.putResult', async (proceed) => {
        // The worker stands still here; when it continues, another one has the session.
        await world.sessions.claim({
          key: world.key,
          invocationId: 'another',
          messageId: 'another',
          now: world.clock.now() + 120_000,
          leaseMs: 60_000,
        });
        return proceed();
      });
      expect(await world.step()).toBe('retry');
      expect(started).toEqual([1]);
    });
  });

  test('an owner that stood still before its read uses no slot of a later owner, and stops', async () => {
    const world = await sessionWorld({}, scriptedModel(says('ok')));
    await world.say('hi');
    world.faults.at(
      'sessions.slots',
      justBefore(async () => {
        await world.sessions.claim({
          key: world.key,
          invocationId: 'another',
          messageId: 'another',
          now: world.clock.now() + 120_000,
          leaseMs: 60_000,
        });
        const later = { kind: 'model', n: 0, runId: 'run', step: 1, input: [], verdicts: [] } as const;
        await world.sessions.putSlot(world.key, 2, later);
      }),
    );
    expect(await world.step()).toBe('retry');
    expect(world.faults.count('log.append')).toBe(0);
  });

  test('of two once tools, the one that ran is kept, the one that killed is unknown, both have one result', async () => {
    const first = notedTool('first', 'once', () => 'did it');
    const second = notedTool('second', 'once', () => world.kill());
    const model = scriptedModel(calls(['first', {}], ['second', {}], ['third', {}]), says('ok'));
    const third = notedTool('third', 'read');
    const world = await sessionWorld({ tools: [first.tool, second.tool, third.tool] }, model);
    await world.say('go');
    await world.settle();
    expect([first.keys.length, second.keys.length, third.keys.length]).toEqual([1, 1, 1]);
    expect(resultsOf(await world.slots()).map(({ outcome }) => outcome)).toEqual(['ok', 'unknown', 'ok']);
  });

  test.each(['read', 'idempotent'] as const)('a %s tool runs again, with the same key', async (effect) => {
    let first = true;
    const add = notedTool('add', effect, () => {
      if (!first) return 'added';
      first = false;
      return world.kill();
    });
    const world = await sessionWorld({ tools: [add.tool] }, scriptedModel(calls(['add', {}]), says('ok')));
    await world.say('hi');
    await world.settle();
    expect(add.keys).toHaveLength(2);
    expect(new Set(add.keys).size).toBe(1);
    expect(resultsOf(await world.slots())).toMatchObject([{ outcome: 'ok', content: 'added' }]);
  });

  test('a deploy that makes an unsafe tool safe does not run a started call again', async () => {
    const refund = notedTool('refund', 'once', () => world.kill());
    const world = await sessionWorld(
      { tools: [refund.tool] },
      scriptedModel(calls(['refund', {}]), says('ok')),
    );
    await world.say('refund me');
    await world.step();
    const safe = notedTool('refund', 'read');
    world.deploy({ tools: [safe.tool] });
    await world.settle();
    expect(safe.keys).toEqual([]);
    expect(resultsOf(await world.slots())).toMatchObject([{ outcome: 'unknown' }]);
  });
});
