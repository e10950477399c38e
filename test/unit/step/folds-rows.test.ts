import { describe, expect, test } from 'vitest';
import { limitOf, sizeOf } from '../../../shared/agent/context/size.ts';
import { accept, askOf, cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { calls, type Scripted, says, talksUntilStopped, usage } from '../../../testing/scripted-model.ts';
import { demandsIn, foldingModel } from '../../support/folding-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { foldsOf, getting, long, run, small } from './folds.fixture.ts';
import { custom, ending, endings, textsOf, tool } from './reading.fixture.ts';
import { type Definition, drive, read } from './rows.fixture.ts';

const completed = { state: 'completed', reason: 'completed' };

/** A session whose next request has so many tokens, by its server's count. */
async function sized(tokens: number, definition: Definition) {
  const counts = (input: number) =>
    drive(definition, [calls(['get', { n: 1 }]), says('One.', usage(input, 0))], 'Begin.');
  const { world } = await counts(1_000);
  const { session } = await world.view();
  const pinned = await world.sessions.definition(world.key.tenant, session.definition);
  if (!pinned) throw new Error('no definition');
  const waiting = [{ text: 'Go on.', eventId: 'e' }];
  const more = sizeOf({ slots: await world.slots(), session, pinned, waiting }) - 1_000;
  const { world: exact } = await counts(tokens - more);
  const summary = says('Task: as told.');
  exact.model.answer(
    ...(tokens > limitOf(pinned) * pinned.guardrails.context.foldAt ? [summary] : []),
    says('Two.'),
  );
  await exact.say('Go on.');
  await exact.settle();
  return { folds: foldsOf(await exact.slots()), world: exact };
}

const big = tool('get', () => long(190_000));

describe('H13: when a context is compacted', () => {
  test.each([
    { tokens: 122_880, folds: 0 },
    { tokens: 122_881, folds: 1 },
  ])('H13: of $tokens tokens', async ({ tokens, folds }) => {
    const hamr: Definition = { tools: [big], guardrails: 'hamr', limits: { maxToolOutputChars: 200_000 } };
    const model = await sized(tokens, { ...hamr, model: { name: 'm', window: 200_000 } });
    expect(model.folds).toHaveLength(folds);
    expect(model.folds.map(({ tokens: of }) => of.before)).toEqual(folds ? [tokens] : []);
  });
});

describe('T28: automatic compaction', () => {
  const attocode: Definition = {
    tools: [tool('get', ({ n }) => `result ${n}: ${long(5_000)}`)],
    guardrails: { preset: 'attocode', context: { window: 9_000, reserve: 1_000 } },
  };

  test('T28: above 90 % a summary is bought in a separate turn, and the run continues with it', async () => {
    const { folds, end, model } = await run(attocode, {}, ...getting(7), says('Seven.'));
    expect(end).toMatchObject(completed);
    expect(folds[0]?.tokens.before).toBeGreaterThan(0.9 * 8_000);
    expect(model.summaries.length + folds.filter(({ summary }) => !summary).length).toBe(folds.length);
  });

  test('T28: from 80 % on there is a warning, once for each context', async () => {
    const { world, folds } = await run(attocode, {}, ...getting(12), says('Twelve.'));
    const warned = custom(await world.events(), 'steploop.guard').filter(
      ({ code }) => code === 'context_filling',
    );
    expect(folds.length).toBeGreaterThan(1);
    expect(warned.length).toBeGreaterThan(1);
    expect(warned.length).toBeLessThanOrEqual(folds.length + 1);
    expect(warned[0]).toMatchObject({
      guard: 'context_size',
      action: 'warn',
      message: expect.stringMatching(/fills (8|9)\d % of what its model can read/),
    });
  });

  test('T28: without a summary the work log lists what was done', async () => {
    const { model, folds } = await run(attocode, { sumUp: says('') }, ...getting(8), says('Eight.'));
    expect(folds.some(({ start }) => start > 0)).toBe(true);
    expect(textsOf(model.requests.at(-1), 'user').join()).toContain('"get": ');
  });

  test('T28: within the cooldown a context is compacted again only above 98 %', async () => {
    const far = await run(
      {
        ...attocode,
        guardrails: {
          preset: 'attocode',
          context: { window: 9_000, reserve: 1_000, cooldownSeconds: 3_600, foldAt: 0.5, target: 0.2 },
        },
      },
      {},
      ...getting(14),
      says('ok'),
    );
    expect(far.end).toMatchObject(completed);
    const [, ...later] = far.folds;
    expect(later.length).toBeGreaterThan(0);
    for (const { tokens } of later) expect(tokens.before).toBeGreaterThan(0.98 * 8_000);
  });

  test.each([
    { seconds: 59, folds: 1 },
    { seconds: 61, folds: 2 },
  ])('T28: a cooldown of 60 s is over after $seconds s: $folds folds', async ({ seconds, folds }) => {
    const context = { window: 9_000, reserve: 1_000, cooldownSeconds: 60, foldAt: 0.5, target: 0.3 };
    const told = [14_000, 6_000, 8_000, 6_000].map((chars) => says(long(chars)));
    const world = await sessionWorld(
      { guardrails: { preset: 'attocode', context } },
      foldingModel({}, ...told, says('That is all.')),
    );
    for (const asked of ['Tell.', 'More.', 'And more.', 'And then?']) {
      await world.say(asked);
      await world.settle();
    }
    expect(foldsOf(await world.slots())).toHaveLength(1);
    await world.clock.advance(seconds * 1000);
    await world.say('And?');
    await world.settle();
    expect(foldsOf(await world.slots())).toHaveLength(folds);
  });
});

describe('a needle', () => {
  const facts = Array.from({ length: 20 }, (_, i) => `fact ${i + 1} is ${(i + 1) * 7919}`);

  /** Keeps every fact that it reads, if it is asked to keep facts. */
  const keeps: Scripted = ({ request }) => {
    const demands = demandsIn(request) ?? '';
    const read = JSON.stringify(request.messages).match(/fact \d+ is \d+/g) ?? [];
    return says(
      /^Facts: .*people.*word for word/m.test(demands)
        ? `Facts: ${[...new Set(read)].join('; ')}`
        : 'Task: count.',
    );
  };

  test('twenty early facts are in the context after three compactions and more', async () => {
    const model = foldingModel({ sumUp: keeps });
    const world = await sessionWorld(small(), model);
    for (const [i, fact] of facts.entries()) {
      model.answer(says('Noted.'));
      await world.say(`${fact}. ${i === 0 ? 'Remember all that I tell you.' : ''}`);
      await world.settle();
    }
    model.answer(...getting(20), says('Twenty.'));
    await world.say('Now count.');
    await world.settle();
    expect(ending(await world.events())).toMatchObject(completed);
    const folds = foldsOf(await world.slots());
    expect(folds.filter(({ summary }) => summary).length).toBeGreaterThanOrEqual(3);
    const last = JSON.stringify(model.requests.at(-1)?.messages);
    expect(facts.filter((fact) => !last.includes(fact))).toEqual([]);
  });
});

describe('a compaction and concurrent events', () => {
  const script = () => [...getting(4), says('Four.')];

  /** A conversation whose second message triggers a compaction; `during` happens while the summary is written. */
  async function folding(
    during: (world: Awaited<ReturnType<typeof sessionWorld>>) => Promise<unknown>,
    sumUp?: Scripted,
  ) {
    const model = foldingModel(
      {
        sumUp: async (asked) => {
          await during(world);
          return typeof sumUp === 'function' ? sumUp(asked) : (sumUp ?? says('Task: as told.'));
        },
      },
      ...script(),
    );
    const world = await sessionWorld(small(), model);
    await world.say('Count what there is.');
    await world.settle();
    await world.say(long(6_000), 'second');
    return { world, model };
  }

  test('a cancel ends the run with the message that began it, which is not run again', async () => {
    const { world, model } = await folding((of) => cancel(of.key, of), talksUntilStopped('Task: '));
    await world.settle();
    expect(endings(await world.events()).map(({ state }) => state)).toEqual(['completed', 'cancelled']);
    expect(model.requests).toHaveLength(5);
    expect((await world.view()).fence.inbox).toEqual([]);
    expect(JSON.stringify(await world.slots())).toContain('second');
  });

  test('a cancel between the summary and the commit keeps the compaction, and still ends the run', async () => {
    const { world, model } = await folding((of) => cancel(of.key, of));
    await world.settle();
    expect(endings(await world.events()).map(({ state }) => state)).toEqual(['completed', 'cancelled']);
    expect(model.requests).toHaveLength(5);
    expect((await world.view()).fence.inbox).toEqual([]);
  });

  test('a message is read by the next step', async () => {
    const { world, model } = await folding((of) =>
      accept(of.key, { eventId: 'third', text: 'And this.' }, of),
    );
    model.answer(says('Both.'));
    await world.settle();
    expect(ending(await world.events())).toMatchObject(completed);
    expect(textsOf(model.requests.at(-1), 'user').slice(-2)).toContain('And this.');
    expect(model.summaries).toHaveLength(1);
  });

  /** A run that folds after five calls, and gets an event while the summary is written. */
  async function askedWhileFolding(control: 'wrap_up' | 'parent_cancel', ...after: Scripted[]) {
    const model = foldingModel(
      {
        sumUp: async () => {
          await askOf(world.key, control, 'asked', world);
          return says('Task: as told.');
        },
      },
      ...getting(5),
      ...after,
    );
    const world = await sessionWorld(small(), model);
    await world.say('Count what there is.');
    await world.settle();
    return { ...(await read(world)), model, folds: foldsOf(await world.slots()) };
  }

  test('a wrap-up is read by the step after it', async () => {
    const { events, folds, model } = await askedWhileFolding('wrap_up', says('{"findings":["all"]}'));
    expect(model.left()).toBe(0);
    expect(folds).toHaveLength(1);
    expect(endings(events)).toMatchObject([{ summary: { findings: ['all'] } }]);
  });

  test('the cancel of a parent ends the run after it, and the model is not called again', async () => {
    const { events, folds, model } = await askedWhileFolding('parent_cancel');
    expect(folds).toHaveLength(1);
    expect(model.requests).toHaveLength(5);
    expect(endings(events)).toMatchObject([{ state: 'cancelled', code: 'parent_cancelled' }]);
  });

  test('at the deadline nothing of the summary is kept, and the next invocation asks again with all its time', async () => {
    let times = 0;
    const { world, model } = await folding(
      async () => undefined,
      (asked) => {
        times += 1;
        const slow = talksUntilStopped('Task: ');
        return times === 1 && typeof slow === 'function' ? slow(asked) : says('Task: as told.');
      },
    );
    model.answer(says('Read.'));
    expect(await world.step({ deadlineMs: 30_000 })).toBe('ack');
    await world.settle();
    expect(ending(await world.events())).toMatchObject(completed);
    expect(foldsOf(await world.slots())).toMatchObject([{ summary: { text: 'Task: as told.' } }]);
    expect(times).toBe(2);
  });

  test('a step without a model call triggers no compaction: its final reply stands', async () => {
    const asks: Scripted = async () => {
      const late = { eventId: 'late', text: 'wrap_up', control: 'wrap_up', runId: 'another' } as const;
      await accept(world.key, late, world);
      return says(long(8_000));
    };
    const model = foldingModel({}, ...getting(4), asks);
    const world = await sessionWorld(small(), model);
    await world.say('Count what there is.');
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ ...completed, steps: 5 });
    const { session } = await world.view();
    expect(session.version).toBe(9);
    expect(model.summaries).toEqual([]);
  });

  test('a removed agent is compacted as usual: the definition is the session’s', async () => {
    const { world, model } = await folding(async () => undefined);
    world.deploy({ name: 'another' });
    model.answer(says('Read.'));
    await world.settle();
    expect(foldsOf(await world.slots())).toHaveLength(1);
    expect(ending(await world.events())).toMatchObject(completed);
  });

  test('a fallback with a smaller window folds before it is called', async () => {
    const down: Scripted = {
      kind: 'failed',
      failure: { kind: 'account', code: 'billing_error', message: 'no' },
    };
    const model = foldingModel({}, ...getting(4), down, says('Four.'));
    const context = { window: 0, reserve: 1_000 };
    const definition = small(context, {
      model: {
        name: 'wide',
        window: 50_000,
        fallbacks: [{ name: 'narrow', window: 5_000, maxTokens: 1_000 }],
      },
    });
    const world = await sessionWorld(definition, model);
    await world.say('Count what there is.');
    await world.settle();
    expect(ending(await world.events())).toMatchObject(completed);
    expect(foldsOf(await world.slots())).toHaveLength(1);
    expect(model.requests.at(-1)?.model).toBe('narrow');
    expect(custom(await world.events(), 'steploop.folded')).toHaveLength(1);
  });
});
