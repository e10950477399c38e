import { describe, expect, test } from 'vitest';
import type { AgentDefinition } from '../../../shared/agent/define/agent.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { defineToolSource } from '../../../shared/agent/define/tool-source.ts';
import type { ToolDeclaration, ToolSource } from '../../../shared/agent/tools/source.ts';
import { agentWorld } from '../../../testing/agent-world.ts';
import { killAfter, killBefore } from '../../../testing/faults.ts';
import { rehearse, rehearseCrashes } from '../../../testing/rehearse.ts';
import { calls, fails, says, scriptedModel } from '../../../testing/scripted-model.ts';

const input = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
const find: ToolDeclaration = { name: 'find', description: 'Finds one.', input, effect: 'read' };
const ship: ToolDeclaration = {
  name: 'ship',
  description: 'Ships one.',
  input,
  where: 'queue',
  approval: 'never',
};

const source = (more: Partial<ToolSource> = {}): ToolSource =>
  defineToolSource({
    name: 'shop',
    queue: true,
    list: () => [find, ship],
    get:
      ({ name, effect }) =>
      (given) => ({ name, effect, given }),
    ...more,
  });

const agent = (more: Partial<AgentDefinition> = {}) =>
  defineAgent({
    name: 'support',
    version: '1',
    model: { name: 'm' },
    system: 'Be brief.',
    toolSources: [source()],
    ...more,
  });

const two = [calls(['shop__find', { id: 'a' }], ['shop__ship', { id: 'a' }]), says('Done.')];

describe('tools of a source', () => {
  test('are listed once, sent to the model, and run in the step and from the queue', async () => {
    let lists = 0;
    const counting = source({
      list: ({ tenant, sessionId }) => {
        lists += 1;
        return [{ ...find, description: `Finds one for ${tenant} in ${sessionId}.` }, ship];
      },
    });
    const run = await rehearse(agent({ toolSources: [counting] }), {
      user: ['Ship a.', 'Thanks.'],
      model: [...two, says('You are welcome.')],
    });
    expect(run.state).toBe('completed');
    expect(lists).toBe(1);
    expect(run.calls.map(({ name, outcome, content }) => [name, outcome, JSON.parse(content)])).toEqual([
      ['shop__find', 'ok', { name: 'find', effect: 'read', given: { id: 'a' } }],
      ['shop__ship', 'ok', { name: 'ship', effect: 'once', given: { id: 'a' } }],
    ]);
    expect(run.requests.map(({ tools }) => tools)).toEqual(
      Array.from({ length: 3 }, () => [
        { name: 'shop__find', description: 'Finds one for acme in s1.', input_schema: input },
        { name: 'shop__ship', description: 'Ships one.', input_schema: input },
      ]),
    );
  });

  test('run only with input that fits their schema', async () => {
    const run = await rehearse(agent(), {
      user: 'Find.',
      model: [calls(['shop__find', { id: 7 }], ['shop__find', 'x'], ['shop__none', {}]), says('So.')],
    });
    expect(run.calls.map(({ content }) => content)).toEqual([
      expect.stringMatching(/^Error \[invalid_arguments\]: shop__find was not run\..*at id/s),
      expect.stringContaining('Error [invalid_arguments]'),
      expect.stringContaining('Error [unknown_tool]'),
    ]);
    expect(run.starts).toEqual([]);
  });

  test('need approval without a declared effect: a second start could do harm', async () => {
    const quiet = source({ list: () => [{ name: 'pay', description: 'Pays.', input }] });
    const asked: string[] = [];
    const run = await rehearse(agent({ toolSources: [quiet] }), {
      user: 'Pay.',
      model: [calls(['shop__pay', { id: 'a' }]), says('Paid.')],
      decides: ({ kind, message }) => {
        asked.push(`${kind}: ${message}`);
        return true;
      },
    });
    expect(asked).toEqual(['approval: shop__pay\nid: "a"']);
    expect(run.calls).toMatchObject([{ outcome: 'ok' }]);
  });

  test('may use only the settings and secrets that the source names, in listing and in calls', async () => {
    const keyed = source({
      settings: ['SHOP_URL'],
      secrets: ['SHOP_KEY'],
      list: async ({ setting, secret }) => [
        { ...find, description: `At ${setting('SHOP_URL')} with ${(await secret('SHOP_KEY')).length}.` },
      ],
      get:
        () =>
        async (_, { secret }) =>
          secret('OTHER_KEY'),
    });
    const run = await rehearse(agent({ toolSources: [keyed] }), {
      user: 'Find.',
      model: [calls(['shop__find', { id: 'a' }]), says('So.')],
      settings: { SHOP_URL: 'https://shop.example' },
      secrets: { SHOP_KEY: 'key', OTHER_KEY: 'other' },
    });
    expect(run.requests[0]?.tools[0]?.description).toBe('At https://shop.example with 3.');
    expect(run.calls[0]?.content).toContain('does not ask for OTHER_KEY');
  });

  test('stay as the session has them if the source lists others later, and run by the current code', async () => {
    const world = agentWorld(
      agent(),
      scriptedModel(says('Hello.'), calls(['shop__find', { id: 'a' }]), says('Done.')),
    );
    await world.say('Hi.');
    await world.settle();
    world.deploy(
      agent({
        version: '2',
        toolSources: [source({ list: () => [], get: () => () => 'by the code of now' })],
      }),
    );
    await world.say('Find.');
    await world.settle();
    expect(world.model.requests[1]?.tools).toEqual(world.model.requests[0]?.tools);
    const results = (await world.slots()).flatMap((slot) => (slot.kind === 'tools' ? slot.results : []));
    expect(results.map(({ content }) => content)).toContain('by the code of now');
  });

  test('run in the step if their source, as deployed now, no longer queues', async () => {
    const model = scriptedModel(says('Hello.'), calls(['shop__ship', { id: 'a' }]), says('Shipped.'));
    const world = agentWorld(agent(), model);
    await world.say('Hi.');
    await world.settle();
    world.deploy(agent({ toolSources: [source({ queue: false })] }));
    await world.say('Ship.');
    await world.settle();
    expect(world.queue.calls.receive()).toBeUndefined();
    expect((await world.view()).session.state).toBe('completed');
  });

  test('of a source that was added later are not sent to a session whose model has replied', async () => {
    const world = agentWorld(agent({ toolSources: [] }), scriptedModel(says('Hello.'), says('Again.')));
    await world.say('Hi.');
    await world.settle();
    world.deploy(agent());
    await world.say('Again?');
    await world.settle();
    expect(world.model.requests.map(({ tools }) => tools)).toEqual([[], []]);
  });

  test('of a removed source fail as unknown ones', async () => {
    const world = agentWorld(
      agent(),
      scriptedModel(says('Hello.'), calls(['shop__find', { id: 'a' }]), says('So.')),
    );
    await world.say('Hi.');
    await world.settle();
    world.deploy(agent({ toolSources: [] }));
    await world.say('Find.');
    await world.settle();
    const results = (await world.slots()).flatMap((slot) => (slot.kind === 'tools' ? slot.results : []));
    expect(results[0]?.content).toContain('Error [unknown_tool]');
  });
});

describe('a source that does not list', () => {
  test('is retried later, and the run continues when it succeeds', async () => {
    let tries = 0;
    const late = source({
      list: () => {
        tries += 1;
        if (tries < 3) throw new Error('fetch failed', { cause: new Error('connect ECONNREFUSED') });
        return [find];
      },
    });
    const run = await rehearse(agent({ toolSources: [late] }), { user: 'Hi.', model: [says('Hello.')] });
    expect([run.state, tries, run.requests.length]).toEqual(['completed', 3, 1]);
    expect(
      run.events.flatMap((event) =>
        event.type === 'CUSTOM' && event.name === 'steploop.retry' ? [event.value] : [],
      ),
    ).toMatchObject([
      {
        code: 'tool_source_unreachable',
        message: 'the tool source shop could not list its tools: fetch failed: connect ECONNREFUSED',
      },
      { retry: 2 },
    ]);
    expect(run.transcript.filter(({ role }) => role === 'user')).toHaveLength(1);
  });

  test('leaves the model its full outage time after that: the two are counted separately', async () => {
    const model = scriptedModel();
    const began = { source: 0, model: 0 };
    const now = () => world.clock.now();
    const late = source({
      list: () => {
        began.source ||= now();
        if (now() - began.source < 100_000) throw new Error('gone');
        return [find];
      },
    });
    const world = agentWorld(agent({ toolSources: [late], limits: { maxRetries: 2, outageSeconds: 120 } }), {
      ...model,
      complete(...asked) {
        began.model ||= now();
        model.answer(now() - began.model < 100_000 ? fails() : says('Back.'));
        return model.complete(...asked);
      },
    });
    await world.say('Hi.');
    await world.settle();
    const { session } = await world.view();
    expect(session.lastEnding?.message).toBe('The run is complete.');
    const events = await world.events();
    const told = events.flatMap((event) =>
      event.type === 'CUSTOM' && event.name === 'steploop.retry' ? [event.value] : [],
    );
    const ofModel = told.findIndex(({ code }) => code !== 'tool_source_unreachable');
    expect(told[ofModel]?.retry).toBe(1);
    const steps = events.flatMap((event) => (event.type === 'STEP_STARTED' ? [event.stepName] : []));
    expect(steps.slice(0, 3)).toEqual(['step 1', 'step 1, listing 2', 'step 1, listing 3']);
    expect(new Set(steps).size).toBe(told.length + 1);
  });

  test('ends the run if that lasts, without calling another model', async () => {
    const gone = source({ list: () => Promise.reject(new Error('gone')) });
    const run = await rehearse(
      agent({
        toolSources: [gone],
        model: { name: 'm', fallbacks: [{ name: 'other' }] },
        limits: { maxRetries: 2, outageSeconds: 0 },
      }),
      { user: 'Hi.', model: [] },
    );
    expect([run.state, run.reason, run.requests]).toEqual(['error', 'tool_error', []]);
    expect(run.events).toContainEqual(
      expect.objectContaining({
        name: 'steploop.ended',
        value: expect.objectContaining({
          code: 'tool_source_unreachable',
          message: expect.stringContaining(
            'the tool source shop could not list its tools: gone (tried 2 times',
          ),
        }),
      }),
    );
  });

  test('within its time counts as unreachable, and is aborted', async () => {
    let stopped = false;
    const slow = source({
      list: ({ signal }) =>
        new Promise(() =>
          signal.addEventListener('abort', () => {
            stopped = true;
          }),
        ),
    });
    const world = agentWorld(
      agent({ toolSources: [slow], limits: { maxRetries: 1, outageSeconds: 0 } }),
      scriptedModel(),
    );
    await world.say('Hi.');
    await world.settle();
    expect((await world.view()).session.lastEnding?.message).toContain('it did not answer within 10 s');
    expect(stopped).toBe(true);
  });

  test('correctly ends the run at once, and reports the error', async () => {
    const wrong = source({ list: () => [{ ...find, effect: 'harmless' as 'read' }] });
    const run = await rehearse(agent({ toolSources: [wrong] }), { user: 'Hi.', model: [] });
    expect([run.state, run.reason]).toEqual(['error', 'tool_error']);
    expect(run.events).toContainEqual(
      expect.objectContaining({
        name: 'steploop.ended',
        value: expect.objectContaining({
          code: 'tool_source_wrong',
          message: expect.stringMatching(/the tool source shop cannot be used: its tool find.*effect/s),
        }),
      }),
    );
  });

  test.each([
    ['is gone', () => Promise.reject(new Error('gone')), 3],
    ['lists nonsense', () => [{}] as never, 1],
  ])(
    'and is optional lets the session continue if it %s: model and people are told',
    async (_, list, times) => {
      let tries = 0;
      const optional = source({
        optional: true,
        list: () => {
          tries += 1;
          return list();
        },
      });
      const run = await rehearse(agent({ toolSources: [optional, { ...source(), name: 'other' }] }), {
        user: ['Hi.', 'And?'],
        model: [says('Hello.'), says('Nothing.')],
      });
      expect([run.state, tries]).toEqual(['completed', times]);
      expect(run.requests.map(({ system, tools }) => [system, tools.map(({ name }) => name)])).toEqual(
        Array.from({ length: 2 }, () => [
          expect.stringMatching(/^Be brief\.\n\n\[steploop\] Tools of shop are not available/),
          ['other__find', 'other__ship'],
        ]),
      );
      expect(
        run.events.filter((event) => event.type === 'CUSTOM' && event.name === 'steploop.tools_missing'),
      ).toMatchObject([{ value: { source: 'shop' } }]);
    },
  );

  test('is not called for a run that is cancelled before it begins', async () => {
    let lists = 0;
    const counting = source({
      list: () => {
        lists += 1;
        return [];
      },
    });
    const world = agentWorld(agent({ toolSources: [counting] }), scriptedModel(fails(), says('x')));
    await world.say('Hi.');
    await world.sessions.cancel(world.key, world.clock.now());
    await world.settle();
    expect(lists).toBe(world.model.requests.length);
  });
});

describe('a worker that dies between the listing and the commit', () => {
  /** Lists other tools each time that it is called. */
  const changing = () => {
    let lists = 0;
    return source({
      list: () => {
        lists += 1;
        return [find, { ...find, name: `only${lists}` }];
      },
    });
  };
  const offered = (request: { tools: readonly { name: string }[] }) => request.tools.map(({ name }) => name);

  test('before its reply was kept leaves nothing: the next one lists again', async () => {
    const world = agentWorld(
      agent({ toolSources: [changing()] }),
      scriptedModel(says('lost'), says('Hello.')),
    );
    world.faults.at('sessions.putSlot', killBefore);
    await world.say('Hi.');
    await world.settle();
    expect(world.model.requests.map(offered)).toEqual([
      ['shop__find', 'shop__only1'],
      ['shop__find', 'shop__only2'],
    ]);
  });

  test.each(['sessions.putSlot', 'sessions.commit'] as const)(
    "after its reply was kept (%s) is followed by one that continues with the tools of that reply's request",
    async (operation) => {
      const model = scriptedModel(calls(['shop__only1', { id: 'a' }]), says('Done.'), says('Again.'));
      const world = agentWorld(agent({ toolSources: [changing()] }), model);
      world.faults.at(operation, operation === 'sessions.commit' ? killBefore : killAfter);
      await world.say('Hi.');
      await world.settle();
      await world.say('And?');
      await world.settle();
      expect(world.faults.latest.running).toBe(true);
      expect(model.requests.map(offered)).toEqual(
        Array.from({ length: 3 }, () => ['shop__find', 'shop__only1']),
      );
      const results = (await world.slots()).flatMap((slot) => (slot.kind === 'tools' ? slot.results : []));
      expect(results.map(({ outcome }) => outcome)).toEqual(['ok']);
    },
  );

  test('twice is followed by one that still knows', async () => {
    const model = scriptedModel(calls(['shop__only1', { id: 'a' }]), says('Done.'));
    const world = agentWorld(agent({ toolSources: [changing()] }), model);
    world.faults.at('sessions.commit', killBefore);
    world.faults.at('sessions.commit', killBefore, 2);
    await world.say('Hi.');
    await world.settle();
    expect(model.requests.map(offered)).toEqual([
      ['shop__find', 'shop__only1'],
      ['shop__find', 'shop__only1'],
    ]);
  });

  test('at any point starts no call twice that must not be', async () => {
    const played = await rehearseCrashes(agent({ toolSources: [changing()] }), {
      user: 'Find.',
      model: [calls(['shop__find', { id: 'a' }]), says('Done.')],
    });
    expect(played.length).toBeGreaterThan(20);
    for (const { state, calls: made, crash } of played)
      expect([crash, state, made.map(({ outcome }) => outcome)]).toEqual([crash, 'completed', ['ok']]);
  });
});
