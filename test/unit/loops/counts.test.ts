import { describe, expect, test } from 'vitest';
import { guardStats } from '../../../shared/agent/step/end/stats.ts';
import { calls, says } from '../../../testing/scripted-model.ts';
import { endings, tool } from '../step/reading.fixture.ts';
import { type Guardrails, loop, looped, read, times } from './loops.fixture.ts';

const readFile = tool('read_file', () => 'text');
const editFile = tool('edit_file', () => 'ok', { effect: 'once' });
const current = { guardrails: 'praisonai-current' as const, tools: [readFile, editFile] };
/** As described: the counts stop, whatever the results. */
const described = { ...current, guardrails: 'praisonai' as const };
const halt = { state: 'error', reason: 'loop_halt' };
const at = (i: number) => ({ path: `f${i}` });
const kinds = (verdicts: readonly { kind: string; code: string; guard: string }[], guard: string) =>
  verdicts.filter((one) => one.guard === guard).map(({ code }) => code);

describe('L2, L3: counts', () => {
  test('L2: reads: 5 to 7 warn, 8 to 11 are refused, the 12th ends the run', async () => {
    const { end, results, verdicts } = await looped(described, ...times(12, 'read_file', at));
    expect(end).toEqual({ ...halt, steps: 12 });
    expect(results.map(({ outcome }) => outcome)).toEqual([
      ...Array(7).fill('ok'),
      ...Array(5).fill('refused'),
    ]);
    expect(kinds(verdicts, 'counts')).toEqual([
      ...Array(3).fill('idempotent_warn'),
      ...Array(4).fill('idempotent_block'),
      'idempotent_halt',
    ]);
  });

  test.each(['praisonai', 'praisonai-current'] as const)(
    'L3: %s: edit_file ×7: 3–4 warn, 5–6 refused, 7 ends the run',
    async (guardrails) => {
      const { end, verdicts, results } = await looped(
        { ...current, guardrails },
        ...times(7, 'edit_file', { path: 'a' }),
      );
      expect(end).toEqual({ ...halt, steps: 7 });
      expect(kinds(verdicts, 'counts')).toEqual([
        'mutating_warn',
        'mutating_warn',
        'mutating_block',
        'mutating_block',
        'mutating_halt',
      ]);
      expect(results.filter(({ outcome }) => outcome === 'ok')).toHaveLength(4);
    },
  );

  test('L2: each tool has its own count', async () => {
    const script = [0, 1].flatMap((i) => [calls(['edit_file', at(i)]), calls(['write_file', at(i)])]);
    expect((await looped(described, ...script)).codes).toEqual([]);
  });

  test('L2: calls of a batch are counted in order', async () => {
    const batch = calls(...[0, 1, 2, 3, 4, 5, 6, 7].map((i): [string, unknown] => ['read_file', at(i)]));
    const { results } = await looped(described, batch);
    expect(results.map(({ outcome }) => outcome)).toEqual([...Array(7).fill('ok'), 'refused']);
    expect(results.map(({ note }) => note?.action)).toEqual([
      ...Array(4).fill(undefined),
      'warn',
      'warn',
      'warn',
      undefined,
    ]);
  });
});

test("a tool with the name of an object's built-in property is counted like any other", async () => {
  const { session } = await looped(described, ...times(2, 'constructor'), ...times(1, 'toString'));
  const { toolCounts } = session.metadata.guardrails.counts as { toolCounts: object };
  expect(Object.entries(toolCounts)).toEqual([
    ['constructor', 2],
    ['toString', 1],
  ]);
});

describe('L8: decisions', () => {
  test('L8: the 8th read is {block, idempotent_block}', async () => {
    const { guards } = await looped(current, ...times(8, 'read_file', { path: 'a' }));
    expect(guards.filter(({ guard }) => guard === 'counts').at(-1)).toEqual({
      guard: 'counts',
      action: 'block',
      code: 'idempotent_block',
      message: expect.stringContaining('read_file was called 8 times'),
      metadata: { tool: 'read_file', count: 8, limits: { warn: 5, block: 8, halt: 12 } },
    });
  });

  test('L8: the strongest verdict wins, and all are in the journal (rule 1)', async () => {
    const { slots } = await looped(current, ...times(8, 'read_file', { path: 'a' }));
    expect(slots.at(-2)?.verdicts).toMatchObject([
      { guard: 'counts', kind: 'block' },
      { guard: 'no_progress', kind: 'warn' },
    ]);
  });
});

describe('L9: configuration', () => {
  test('L9: turned off, 50 calls are allowed, and still counted', async () => {
    const guardrails: Guardrails = { preset: 'praisonai-current', loop: { enabled: false } };
    const { end, codes, slice } = await looped(
      { ...current, guardrails },
      ...times(49, 'read_file', { path: 'a' }),
    );
    expect(end).toMatchObject({ state: 'completed', steps: 50 });
    expect(codes).toEqual(['allow disabled']);
    expect(slice('counts').toolCounts).toEqual({ read_file: 49 });
  });

  test('L9: thresholds of one tool', async () => {
    const perTool = { edit_file: { warn: 0, block: 2, halt: 0 } };
    const guardrails: Guardrails = { preset: 'praisonai', loop: { counts: { perTool } } };
    const { results } = await looped(
      { ...current, guardrails },
      ...times(3, 'edit_file', at),
      ...times(3, 'read_file', at),
    );
    expect(results.map(({ outcome }) => outcome)).toEqual(['ok', 'refused', 'refused', 'ok', 'ok', 'ok']);
  });
});

describe('L9: thresholds of one tool, only some of them', () => {
  const of = (perTool: object, preset: 'praisonai' | 'default' = 'praisonai'): Guardrails => ({
    preset,
    loop: {
      counts: { perTool: perTool as never },
      ...(preset === 'default' && { callStreak: { exact: 0, fuzzy: 0 } }),
    },
  });
  const outcomes = async (guardrails: Guardrails, n: number) => {
    const { results, end } = await looped({ ...current, guardrails }, ...times(n, 'edit_file', at));
    return { end, said: results.map(({ outcome, note }) => note?.action ?? outcome) };
  };

  test('L9: missing thresholds are those of its kind', async () => {
    const { said, end } = await outcomes(of({ edit_file: { halt: 9 } }), 9);
    expect(said).toEqual(['ok', 'ok', 'warn', 'warn', ...Array(5).fill('refused')]);
    expect(end).toEqual({ ...halt, steps: 9 });
  });

  test('L9: 0 disables a threshold, for this tool only', async () => {
    const { said } = await outcomes(of({ edit_file: { warn: 0 } }), 5);
    expect(said).toEqual(['ok', 'ok', 'ok', 'ok', 'refused']);
  });

  test('L9: by default a number for one tool says nothing about other work', async () => {
    const { said, end } = await outcomes(of({ edit_file: { halt: 9 } }, 'default'), 8);
    expect(said).toEqual(Array(8).fill('ok'));
    expect(end).toMatchObject({ state: 'completed' });
  });
});

describe('L10: counters', () => {
  test('L10: two reads are tool_counts.read_file = 2, with totals and thresholds', async () => {
    const failing = tool('edit_file', () => Promise.reject(new Error('no')), { effect: 'once' });
    const script = [...times(2, 'read_file', at), calls(['edit_file', {}])];
    const world = await loop({ ...current, tools: [readFile, failing] }, ...script);
    await world.settle();
    const { session } = await world.view();
    const pinned = await world.sessions.definition('acme', session.definition);
    if (!pinned) throw new Error('no definition');
    expect(guardStats(session, pinned)).toMatchObject({
      enabled: true,
      turnElapsedSeconds: expect.any(Number),
      toolCounts: { read_file: 2, edit_file: 1 },
      totals: { calls: 3 },
      successes: 2,
      failures: 1,
      thresholds: {
        idempotent: { warn: 5, block: 8, halt: 12 },
        mutating: { warn: 3, block: 5, halt: 7 },
        noProgress: { warn: 4, halt: 8 },
        cycles: { advise: 0, refuse: 0, halt: 0, poll: { advise: 0, refuse: 0, halt: 0 } },
        activeTurnSeconds: 120,
      },
    });
  });

  test('L10: every verdict of a committed step is counted once: names and codes only', async () => {
    const { world } = await looped(described, ...times(6, 'read_file', at));
    expect(world.meter.verdicts).toEqual(
      Array(2).fill({ agent: 'test', guard: 'counts', action: 'warn', code: 'idempotent_warn' }),
    );
  });

  test('L10: at most 200 names are kept', async () => {
    const batch = calls(...Array.from({ length: 250 }, (_, i): [string, unknown] => [`tool_${i}`, {}]));
    const { slice } = await looped(current, batch);
    expect(Object.keys(slice('counts').toolCounts as object)).toHaveLength(200);
  });
});

describe('L12: the gate', () => {
  test('L12: calls that are not stuck are only warned about, at every threshold', async () => {
    const { end, codes, results } = await looped(current, ...times(14, 'read_file', at));
    expect(end).toMatchObject({ state: 'completed' });
    expect(codes).toEqual(Array(10).fill('warn idempotent_warn'));
    expect(results.every(({ outcome }) => outcome === 'ok')).toBe(true);
  });

  test('L12: three identical results are not stuck, four are', async () => {
    const script = (same: number) => [
      ...times(7 - same, 'read_file', at),
      ...times(same + 1, 'read_file', { path: 'same' }),
    ];
    expect((await looped(current, ...script(3))).results.at(-1)).toMatchObject({ outcome: 'ok' });
    expect((await looped(current, ...script(4))).results.at(-1)).toMatchObject({ outcome: 'refused' });
  });
});

describe('L16: a new message', () => {
  test('L16: all counts are empty in the next run', async () => {
    const world = await loop(described, ...times(7, 'read_file', at), says('well'), calls(['read_file', {}]));
    await world.settle();
    await world.say('more');
    await world.settle();
    const { slice, results } = await read(world);
    expect(slice('counts').toolCounts).toEqual({ read_file: 1 });
    expect(results.at(-1)).toMatchObject({ outcome: 'ok' });
    expect(results.at(-1)).not.toHaveProperty('note');
  });

  test('L16: a message that joins the run clears them too, and does not end a halt early', async () => {
    const world = await loop(described, ...times(7, 'read_file', at), calls(['read_file', {}]));
    for (let i = 0; i < 7; i++) await world.step();
    await world.say('by the way');
    await world.settle();
    const { slice, results, events } = await read(world);
    expect(results.map(({ outcome }) => outcome)).toEqual(Array(8).fill('ok'));
    expect(slice('counts').toolCounts).toEqual({ read_file: 1 });
    expect(endings(events)).toHaveLength(1);
  });

  test('L16, rule 4: a halt is for the whole run; the next message starts afresh', async () => {
    const world = await loop(described, ...times(12, 'read_file', at), calls(['read_file', {}]));
    await world.settle();
    expect((await read(world)).end).toMatchObject(halt);
    await world.say('go on');
    await world.settle();
    expect((await read(world)).end).toMatchObject({ state: 'completed' });
  });
});

describe('U1c: the shipped counts', () => {
  const off = { cycles: { advise: 0, refuse: 0, halt: 0 }, callStreak: { exact: 0, fuzzy: 0 } };
  const counts = async (news: 'counted' | 'excused', name: string, n: number) => {
    const guardrails = { loop: { ...off, news }, intent: { max: 0 } };
    const { verdicts, end } = await looped({ ...current, guardrails }, ...times(n, name, at));
    return { codes: kinds(verdicts, 'counts'), end };
  };

  test('U1c: counted, 5 reads and 3 changes warn, whatever is new, and only what is stuck is refused', async () => {
    const read = await counts('counted', 'read_file', 13);
    expect(read.codes).toEqual(Array(9).fill('idempotent_warn'));
    expect(read.end).toMatchObject({ state: 'completed' });
    expect((await counts('counted', 'edit_file', 8)).codes).toEqual(Array(6).fill('mutating_warn'));
  });

  test('U1c: by default, calls with new arguments are not even warned about', async () => {
    expect((await counts('excused', 'read_file', 13)).codes).toEqual([]);
    expect((await counts('excused', 'edit_file', 8)).codes).toEqual([]);
  });
});
