import { describe, expect, test } from 'vitest';
import { withStored } from '../../../shared/agent/config/resolve.ts';
import { defineGuard } from '../../../shared/agent/guardrails/guard.ts';
import type { Tool } from '../../../shared/agent/tools/tool.ts';
import { killBefore } from '../../../testing/faults.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { answersIn, ending, notedTool, resultsOf, tool } from './reading.fixture.ts';

type Definition = NonNullable<Parameters<typeof sessionWorld>[0]>;

/** Its input decides its outcome; `then` is a further effect of each call. */
const does = (name: string, effect: Tool['effect'], more: Partial<Tool> = {}): Tool =>
  tool(
    name,
    ({ fails, chars }) => {
      if (fails) throw new Error('It is broken.');
      return 'x'.repeat(Number(chars ?? 2));
    },
    { effect, ...more },
  );

type Asked = [name: string, input: object];
const times = (n: number, name: string, input: object): Asked[] =>
  Array.from({ length: n }, (_, i) => [name, { ...input, i }]);

/** One reply with all of these calls, and its answer. */
async function batch(asked: Asked[], definition: Definition = {}) {
  const model = scriptedModel(calls(...asked), says('It is done.'));
  const tools = [does('get', 'read'), does('put', 'idempotent'), does('pay', 'once')];
  const world = await sessionWorld({ tools, ...definition }, model);
  await world.say('Go.');
  await world.settle();
  const results = resultsOf(await world.slots());
  return { world, model, results, outcomes: results.map(({ outcome }) => outcome) };
}

const as = (n: number, outcome: string): string[] => Array.from({ length: n }, () => outcome);
const broken = { fails: true };
const fine = { fails: false };

describe('T20: a batch whose calls fail', () => {
  test('T20: of 30 calls five are errors, and after five failures in a row the rest is skipped with a reason', async () => {
    const { outcomes, results, model } = await batch(times(30, 'put', broken));
    expect(outcomes).toEqual([...as(5, 'error'), ...as(20, 'cancelled'), ...as(5, 'refused')]);
    expect(results[5]?.content).toBe(
      'Error [skipped]: 5 calls of this reply in a row have failed, so this one was not run. Read their errors first; make it again if it is still right.',
    );
    expect(answersIn(model.requests[1])).toHaveLength(30);
  });

  test('T20: skipped calls did not run, are not recorded, and are no failures of the run', async () => {
    const { world, outcomes } = await batch([...times(5, 'pay', broken), ...times(3, 'pay', fine)]);
    expect(outcomes).toEqual([...as(5, 'error'), ...as(3, 'cancelled')]);
    expect(world.faults.count('sessions.fence')).toBe(5);
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
  });

  test.each<{ what: string; asked: Asked[]; outcomes: string[] }>([
    {
      what: 'a success between them starts a new row',
      asked: [...times(4, 'put', broken), ['put', fine], ...times(4, 'put', broken), ['put', fine]],
      outcomes: [...as(4, 'error'), 'ok', ...as(4, 'error'), 'ok'],
    },
    {
      what: 'calls of different tools are one row',
      asked: [...times(2, 'put', broken), ...times(2, 'get', broken), ['nope', {}], ...times(2, 'put', fine)],
      outcomes: [...as(5, 'error'), ...as(2, 'cancelled')],
    },
    {
      what: 'parallel calls are not reverted, and later ones are skipped',
      asked: [...times(8, 'get', broken), ['put', fine]],
      outcomes: [...as(8, 'error'), 'cancelled'],
    },
    {
      what: 'four do not end the batch',
      asked: [...times(4, 'put', broken), ...times(4, 'put', fine)],
      outcomes: [...as(4, 'error'), ...as(4, 'ok')],
    },
  ])('T20: $what', async ({ asked, outcomes: expected }) => {
    expect((await batch(asked)).outcomes).toEqual(expected);
  });

  test('T20: under attocode at most five parallel calls run at a time, and after five failures no more begin', async () => {
    const failing = await batch([...times(20, 'get', broken), ['put', fine]], { guardrails: 'attocode' });
    expect(failing.outcomes).toEqual([...as(5, 'error'), ...as(16, 'cancelled')]);
    const mixed: Asked[] = [...times(4, 'get', broken), ['get', fine], ...times(18, 'get', broken)];
    const { outcomes } = await batch(mixed, { guardrails: 'attocode' });
    expect(outcomes.slice(0, 10)).toEqual([...as(4, 'error'), 'ok', ...as(5, 'error')]);
    // Four that have begun beside the fifth failure are not taken back.
    expect(outcomes.slice(14)).toEqual(as(9, 'cancelled'));
  });

  test('T20: under attocode failing calls do not end the run', async () => {
    const nope = (n: number) => calls(['get', { ...broken, n }]);
    const model = scriptedModel(...[1, 2, 3, 4, 5, 6, 7].map(nope), says('It cannot be got.'));
    const world = await sessionWorld({ tools: [does('get', 'read')], guardrails: 'attocode' }, model);
    await world.say('Go.');
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed', steps: 8 });
  });

  test('T20: the number is the definition’s, and 0 disables the rule', async () => {
    const two = await batch(times(4, 'put', broken), { limits: { maxFailuresInARow: 2 } });
    expect(two.outcomes).toEqual([...as(2, 'error'), ...as(2, 'cancelled')]);
    const none = await batch(times(9, 'put', broken), { limits: { maxFailuresInARow: 0 } });
    expect(none.outcomes).toEqual(as(9, 'error'));
  });

  test('T20: queued calls start anyway, and do not count in the row', async () => {
    const tools = [does('put', 'idempotent'), does('send', 'idempotent', { where: 'queue' })];
    const { world } = await batch([...times(5, 'put', broken), ['send', fine], ['put', fine]], { tools });
    const { batch: open } = (await world.view()).session;
    expect(open?.waits.map(({ kind, tool: of }) => [kind, of])).toEqual([['call', 'send']]);
    expect(open?.unrun?.map(({ content }) => content.slice(0, 15))).toEqual(['Error [skipped]']);
  });

  test('T20: a new owner starts no more calls either: kept failures count', async () => {
    const pay = notedTool('pay', 'once', () => {
      throw new Error('It is broken.');
    });
    const model = scriptedModel(calls(...times(8, 'pay', {})), says('ok'));
    const world = await sessionWorld({ tools: [pay.tool] }, model);
    await world.say('Go.');
    // After the fifth is kept the store is not called before the slot of the results.
    world.faults.at('sessions.putSlot', killBefore, 2);
    await world.settle();
    expect(pay.keys).toHaveLength(5);
    expect(resultsOf(await world.slots()).map(({ outcome }) => outcome)).toEqual([
      ...as(5, 'error'),
      ...as(3, 'cancelled'),
    ]);
  });

  test('A21: a session from before this rule does not have it', async () => {
    const { world } = await batch([['put', fine]]);
    const { pinned } = await loadedPinned(world);
    const { maxFailuresInARow: _1, batchWindowShare: _2, ...limits } = pinned.limits;
    const old = withStored({ ...pinned, limits } as typeof pinned);
    expect(old.limits).toMatchObject({ maxFailuresInARow: 0, batchWindowShare: 0 });
    expect(withStored(pinned).limits).toMatchObject({ maxFailuresInARow: 5, batchWindowShare: 0.9 });
  });
});

async function loadedPinned(world: Awaited<ReturnType<typeof sessionWorld>>) {
  const { session } = await world.view();
  const pinned = await world.sessions.definition(world.key.tenant, session.definition);
  if (!pinned) throw new Error('no definition');
  return { pinned };
}

describe('T20: a batch whose results are long', () => {
  test('T20: under attocode an output is cut at 8,000 characters; by default at 50,000', async () => {
    const [cut] = (await batch([['get', { chars: 8_001 }]], { guardrails: 'attocode' })).results;
    expect(cut?.content).toBe(`${'x'.repeat(8_000)}\n[steploop] Output cut: 8000 of 8001 characters shown.`);
    const [whole] = (await batch([['get', { chars: 50_000 }]])).results;
    expect(whole?.content).toHaveLength(50_000);
  });

  /** 0.9 of the window are 18,000 tokens, 72,000 characters. */
  const small = { model: { name: 'm', window: 20_000, maxTokens: 1_000 } };
  const leftOut = ({ content }: { content: string }) => content.startsWith('[steploop] Output left out');

  test('T20: of more than ten results those that overflow 90 % of the window are left out, and stored whole in a blob', async () => {
    const { world, results, outcomes } = await batch(times(14, 'get', { chars: 6_300 }), small);
    expect(outcomes).toEqual(as(14, 'ok'));
    expect(results.map(leftOut)).toEqual([...Array(11).fill(false), true, true, true]);
    expect(results[13]?.content).toContain('its 6300 characters');
    const { blob = '' } = results[13] ?? {};
    expect(await world.blobs.get(blob)).toBe('x'.repeat(6_300));
  });

  test('T20: ten are never too many, nor are short results', async () => {
    const ten = await batch(times(10, 'get', { chars: 9_000 }), small);
    expect(ten.results.filter(leftOut)).toEqual([]);
    const short = await batch([...times(11, 'get', { chars: 9_000 }), ['get', { chars: 400 }]], small);
    expect(short.results.map(leftOut)).toEqual([...Array(10).fill(false), true, false]);
  });

  test('T20: a change with a left-out result has run, and its result says so', async () => {
    const { results } = await batch(times(12, 'pay', { chars: 9_000 }), small);
    expect(results.map(leftOut)).toEqual([...Array(10).fill(false), true, true]);
    expect(results[11]).toMatchObject({ outcome: 'ok', leftOut: true });
    expect(results[11]?.content).toContain('the call has run');
  });

  test('T20: a skipped call has no output that could be left out: it says why', async () => {
    const asked = [...times(11, 'get', { chars: 9_000 }), ...times(3, 'get', {})];
    const long = 'because '.repeat(1_000);
    const no = defineGuard({
      name: 'no',
      scope: 'run',
      initial: {},
      hooks: {
        call: (_state, { call }) =>
          'chars' in Object(call.input)
            ? undefined
            : { verdict: { kind: 'block', code: 'no', message: long, result: long } },
      },
    });
    const { results } = await batch(asked, { ...small, guards: [no] });
    expect(results.map(leftOut)).toEqual([...Array(10).fill(false), true, false, false, false]);
    expect(results.at(-1)?.content).toBe(long);
  });

  test('T20: 0 leaves nothing out', async () => {
    const { results } = await batch(times(14, 'get', { chars: 6_300 }), {
      ...small,
      limits: { batchWindowShare: 0 },
    });
    expect(results.filter(leftOut)).toEqual([]);
  });

  test('T20, H7: a left-out result is not reused for a later call', async () => {
    let reads = 0;
    const read = tool('read_file', () => `${++reads}`.padEnd(6_300, '.'), { cacheable: true });
    const asked = times(14, 'read_file', {});
    const again = asked.slice(-1);
    const model = scriptedModel(calls(...asked), calls(...again), says('ok'));
    const definition = {
      ...small,
      tools: [read],
      guardrails: { context: { strategy: 'none', window: 0 } },
    } satisfies Definition;
    const world = await sessionWorld(definition, model);
    await world.say('Go.');
    await world.settle();
    expect(reads).toBe(15);
    expect(resultsOf(await world.slots()).at(-1)?.content).toHaveLength(6_300);
  });
});
