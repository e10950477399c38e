import { describe, expect, test } from 'vitest';
import { classify, polls } from '../../../shared/agent/guardrails/classify.ts';
import { guardStats } from '../../../shared/agent/step/stats.ts';
import { calls, says } from '../../../testing/scripted-model.ts';
import { endings, tool } from '../step/reading.fixture.ts';
import { type Guardrails, loop, looped, read, times, toldIn } from './loops.fixture.ts';

const readFile = tool('read_file', () => 'text');
const editFile = tool('edit_file', () => 'ok', { effect: 'once' });
const current = { guardrails: 'praisonai-current' as const, tools: [readFile, editFile] };
/** As it is described: the counts stop, whatever the results. */
const described = { ...current, guardrails: 'praisonai' as const };
const noCounts = { idempotent: { warn: 0, block: 0, halt: 0 }, mutating: { warn: 0, block: 0, halt: 0 } };
const halt = { state: 'error', reason: 'loop_halt' };
const at = (i: number) => ({ path: `f${i}` });
const kinds = (verdicts: readonly { kind: string; code: string; guard: string }[], guard: string) =>
  verdicts.filter((one) => one.guard === guard).map(({ code }) => code);

test('a tool whose name every object knows is counted like any other', async () => {
  const { session } = await looped(described, ...times(2, 'constructor'), ...times(1, 'toString'));
  const { toolCounts } = session.metadata.guardrails.counts as { toolCounts: object };
  expect(Object.entries(toolCounts)).toEqual([
    ['constructor', 2],
    ['toString', 1],
  ]);
});

describe('L1: classification', () => {
  test.each([
    ['check_status', 'idempotent'],
    ['deploy_app', 'mutating'],
    ['budget_update', 'mutating'],
    ['thread_delete', 'mutating'],
    ['list_delete', 'mutating'],
    ['spreadsheet', 'mutating'],
    ['listen', 'mutating'],
    ['targeting', 'mutating'],
    ['read_file', 'idempotent'],
    ['readFile', 'idempotent'],
    ['getHTTPStatus', 'idempotent'],
    ['get-user', 'idempotent'],
    ['users.list', 'idempotent'],
    ['git_log', 'idempotent'],
    ['git_checkout', 'mutating'],
    ['bash', 'mutating'],
    ['glob', 'idempotent'],
    ['pwd', 'idempotent'],
    ['http_post', 'mutating'],
    ['users_post', 'mutating'],
    ['READ_FILE', 'idempotent'],
    ['', 'mutating'],
  ] as const)('L1: %s is %s by its name', (name, expected) => {
    expect(classify(name, 'unknown')).toBe(expected);
  });

  test('L1: a declared effect wins', () => {
    expect(classify('deploy_app', 'read')).toBe('idempotent');
    expect(classify('read_file', 'once')).toBe('mutating');
    expect(classify('read_file', 'idempotent')).toBe('mutating');
  });

  test('L13: polls are told by whole words', () => {
    expect(['job_status', 'waitFor', 'ping', 'health-check'].map(polls)).toEqual([true, true, true, true]);
    expect(['shipping', 'statusbar', 'checkout', 'awaiting'].map(polls)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  test('L1: in a run, tools nobody knows are classified by their names', async () => {
    const script = [...times(5, 'check_it', at), ...times(3, 'make_it', at)];
    const { verdicts } = await looped(described, ...script);
    expect(kinds(verdicts, 'counts')).toEqual(['idempotent_warn', 'mutating_warn']);
  });
});

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

  test('L2: in a batch calls are seen in order', async () => {
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

describe('L4: effects', () => {
  const answering = (value: unknown) => ({ ...described, tools: [tool('read_file', () => value)] });
  const last = async (value: unknown) =>
    (await looped(answering(value), ...times(5, 'read_file', at))).answers.at(-1) ?? '';

  test('L4: a text gets a suffix', async () => {
    expect(await last('text')).toMatch(/^text\n\[loop-guard\] read_file was called 5 times/);
  });

  test('L4: a text that looks like JSON is text', async () => {
    expect(await last('{"a":1}')).toMatch(/^\{"a":1\}\n\[loop-guard\]/);
  });

  test('L4: an object gets a field', async () => {
    expect(JSON.parse(await last({ a: 1 }))).toEqual({
      a: 1,
      _loop_guard: { message: expect.stringContaining('5 times'), action: 'warn' },
    });
  });

  test.each([{ value: [1, 2] }, { value: 0 }, { value: false }, { value: null }])(
    'L4: $value is wrapped',
    async ({ value }) => {
      expect(JSON.parse(await last(value))).toEqual({
        value,
        _loop_guard: expect.objectContaining({ action: 'warn' }),
      });
    },
  );

  test('L4: a failed call gets a suffix', async () => {
    const failing = { ...described, tools: [tool('read_file', () => Promise.reject(new Error('no file')))] };
    const { answers } = await looped(failing, ...times(5, 'read_file', at));
    expect(answers.at(-1)).toMatch(/no file\n\[loop-guard\]/);
  });

  test('L4: a refused call says so, as JSON', async () => {
    const { results } = await looped(described, ...times(8, 'read_file', at));
    expect(JSON.parse(results.at(-1)?.content ?? '')).toEqual({
      error: expect.stringMatching(/^\[loop-guard\] read_file was called 8 times/),
      loop_blocked: true,
    });
  });

  test('L4: at a halt the calls of the batch have results, and none runs', async () => {
    const script = [
      ...times(11, 'read_file', at),
      calls(['edit_file', {}], ['read_file', {}], ['edit_file', {}]),
    ];
    const { end, results } = await looped(described, ...script);
    expect(end).toMatchObject(halt);
    expect(results.slice(-3).map(({ outcome }) => outcome)).toEqual(['cancelled', 'refused', 'cancelled']);
    expect(results.at(-2)?.content).toContain('"loop_blocked":true');
  });

  test('L4: what is told is stored with the result, so every later request says the same', async () => {
    const { requests } = await looped(described, ...times(6, 'read_file', at));
    const [before, after] = [requests.at(-2)?.messages ?? [], requests.at(-1)?.messages ?? []];
    expect(JSON.stringify(after)).toContain(JSON.stringify(before).slice(1, -1));
  });
});

describe('L5: two phases', () => {
  test('L5: a refused call still counts', async () => {
    const { slice } = await looped(described, ...times(10, 'read_file', at));
    expect(slice('counts').toolCounts).toEqual({ read_file: 10 });
    expect(slice('counts')).toMatchObject({ successes: 7, failures: 0 });
  });

  test('L5: a refused call does not feed the streak of results', async () => {
    const { slice } = await looped(described, ...times(10, 'read_file', { path: 'a' }));
    expect(slice('no_progress').streak).toMatchObject({ length: 7 });
  });

  test('L5: the check after a call only annotates; what stops is the check before the next', async () => {
    const guardrails: Guardrails = {
      preset: 'praisonai',
      loop: { counts: noCounts, noProgress: { warn: 2, halt: 3 } },
    };
    const { results, end } = await looped(
      { ...current, guardrails },
      ...times(4, 'read_file', { path: 'a' }),
    );
    expect(results.map(({ note, outcome }) => note?.action ?? outcome)).toEqual([
      'ok',
      'warn',
      'warn',
      'refused',
    ]);
    expect(end).toMatchObject({ ...halt, steps: 4 });
  });
});

describe('L6: no progress', () => {
  const only = (more: object = {}): Guardrails => ({
    preset: 'praisonai-current',
    loop: { counts: noCounts, window: { detectors: [] }, ...more },
  });
  const run = (answer: (n: number) => unknown, ...script: ReturnType<typeof times>) => {
    let n = 0;
    return looped({ guardrails: only(), tools: [tool('read_file', () => answer(++n)), editFile] }, ...script);
  };

  test('L6: 8 identical results, and the same call once more ends the run', async () => {
    expect((await run(() => 'x', ...times(8, 'read_file'))).end).toMatchObject({ state: 'completed' });
    const { end, verdicts } = await run(() => 'x', ...times(9, 'read_file'));
    expect(end).toEqual({ ...halt, steps: 9 });
    expect(verdicts.at(-1)).toMatchObject({ code: 'no_progress_halt' });
  });

  test('L6: the 4th identical result says so', async () => {
    const { results } = await run(() => 'x', ...times(5, 'read_file'));
    expect(results.map(({ note }) => note !== undefined)).toEqual([false, false, false, true, true]);
  });

  test('L6: people are told once a call', async () => {
    const { verdicts, guards } = await run(() => 'x', ...times(7, 'read_file'));
    expect(kinds(verdicts, 'no_progress')).toEqual(Array(4).fill('no_progress_warn'));
    expect(guards.map(({ message }) => message?.match(/\d+ times/)?.[0])).toEqual([
      '4 times',
      '4 times',
      '5 times',
      '6 times',
    ]);
  });

  test('L6: the pending call must go on with the streak', async () => {
    expect(
      (await run(() => 'x', ...times(8, 'read_file'), ...times(1, 'edit_file'), ...times(1, 'read_file')))
        .end,
    ).toMatchObject({ state: 'completed' });
    expect((await run(() => 'x', ...times(9, 'edit_file', at))).end).toMatchObject({ state: 'completed' });
  });

  test('L6: another result begins a new streak, a changed clock does not', async () => {
    expect((await run((n) => `line ${n}`, ...times(12, 'read_file'))).end).toMatchObject({
      state: 'completed',
    });
    expect((await run((n) => ({ timestamp: n, elapsed_ms: n }), ...times(9, 'read_file'))).end).toMatchObject(
      halt,
    );
  });

  test.each([{ value: '' }, { value: 0 }, { value: null }, { value: false }, { value: undefined }])(
    'L6: $value is a result too',
    async ({ value }) => {
      expect((await run(() => value, ...times(9, 'read_file'))).end).toMatchObject(halt);
    },
  );

  test('L11: five the same, progress marked, five the same: no halt', async () => {
    let n = 0;
    const marking = tool('read_file', (_input, { markProgress }) => {
      if (++n === 5) markProgress('half');
      return 'x';
    });
    const { end, slice } = await looped({ guardrails: only(), tools: [marking] }, ...times(10, 'read_file'));
    expect(end).toMatchObject({ state: 'completed' });
    expect(slice('no_progress').streak).toMatchObject({ length: 5 });
    expect(slice('counts').toolCounts).toEqual({ read_file: 10 });
  });

  test('L11: unmarked, the same ten calls end the run', async () => {
    expect((await run(() => 'x', ...times(10, 'read_file'))).end).toMatchObject(halt);
  });
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

describe('L9: thresholds of one tool, in part', () => {
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

  test('L9: what is not said is that of its kind', async () => {
    const { said, end } = await outcomes(of({ edit_file: { halt: 9 } }), 9);
    expect(said).toEqual(['ok', 'ok', 'warn', 'warn', ...Array(5).fill('refused')]);
    expect(end).toEqual({ ...halt, steps: 9 });
  });

  test('L9: 0 is off, for this tool alone', async () => {
    const { said } = await outcomes(of({ edit_file: { warn: 0 } }), 5);
    expect(said).toEqual(['ok', 'ok', 'ok', 'ok', 'refused']);
  });

  test('L9: by default a number of its own says nothing more of work than that number', async () => {
    const { said, end } = await outcomes(of({ edit_file: { halt: 9 } }, 'default'), 8);
    expect(said).toEqual(Array(8).fill('ok'));
    expect(end).toMatchObject({ state: 'completed' });
  });
});

describe('L10: figures', () => {
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
  test('L12: what is not stuck is only warned of, at every threshold', async () => {
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

describe('L13, L14, L15: the window', () => {
  const window = (more: object = {}): Guardrails => ({
    preset: 'praisonai-current',
    loop: { counts: noCounts, noProgress: { warn: 0, halt: 0 }, window: more },
  });
  const with_ = (guardrails: Guardrails, ...tools: ReturnType<typeof tool>[]) => ({
    guardrails,
    tools: [readFile, editFile, ...tools],
  });
  /** The same read, and another one after each. */
  const spread = (n: number) =>
    Array.from({ length: n }, (_, i) => [
      calls(['read_file', { path: 'same' }]),
      calls(['edit_file', at(i)]),
      calls(['edit_file', at(100 + i)]),
    ]).flat();

  test('L13: the 10th same call anywhere in the window warns, the 9th does not', async () => {
    expect((await looped(with_(window()), ...times(9, 'read_file'))).codes).toEqual([]);
    const { codes, requests } = await looped(with_(window()), ...times(10, 'read_file'));
    expect(codes).toEqual(['warn generic_repeat_warning', 'nudge loop_pattern']);
    expect(toldIn(requests, 11)).toEqual([expect.stringContaining('read_file was called 10 times')]);
    expect((await looped(with_(window()), ...spread(10))).codes).toContain('warn generic_repeat_warning');
  });

  test('L13: what has left the window does not count', async () => {
    expect((await looped(with_(window({ size: 20 })), ...spread(10))).codes).toEqual([]);
  });

  test('L15: from the 20th on it is refused, and the run goes on', async () => {
    const { results, end, codes } = await looped(with_(window()), ...times(21, 'read_file'));
    expect(results.map(({ outcome }) => outcome)).toEqual([...Array(19).fill('ok'), 'refused', 'refused']);
    expect(results.at(-1)?.content).toContain('"loop_blocked":true');
    expect(end).toMatchObject({ state: 'completed' });
    expect(codes.at(-1)).toBe('block generic_repeat_critical');
  });

  test('L15: a second warning brings no second nudge', async () => {
    const { codes, requests } = await looped(
      with_(window()),
      ...times(12, 'read_file'),
      ...times(11, 'edit_file'),
    );
    expect(codes.filter((code) => code.startsWith('nudge'))).toHaveLength(1);
    expect(codes.filter((code) => code.startsWith('warn')).length).toBeGreaterThan(3);
    expect(requests.flatMap((_, i) => toldIn(requests, i + 1))).toHaveLength(1);
  });

  test('L13: critical is raised above warn', async () => {
    const { results } = await looped(with_(window({ warn: 5, critical: 2 })), ...times(6, 'read_file'));
    expect(results.map(({ outcome }) => outcome)).toEqual([...Array(5).fill('ok'), 'refused']);
  });

  test('L13: polls with changing results are left alone, with identical ones they are not', async () => {
    let n = 0;
    const changing = tool('job_status', () => `at ${++n}`);
    expect((await looped(with_(window(), changing), ...times(25, 'job_status'))).codes).toEqual([]);
    const stuck = tool('job_status', () => 'pending');
    expect((await looped(with_(window(), stuck), ...times(10, 'job_status'))).codes).toEqual([]);
    expect((await looped(with_(window(), stuck), ...times(11, 'job_status'))).codes).toEqual([
      'warn poll_no_progress_warning',
      'nudge loop_pattern',
    ]);
    expect((await looped(with_(window(), stuck), ...times(21, 'job_status'))).results.at(-1)).toMatchObject({
      outcome: 'refused',
    });
  });

  test("L13: a poll's streak is counted over its own records", async () => {
    const stuck = tool('job_status', () => 'pending');
    const script = Array.from({ length: 11 }, (_, i) => [
      calls(['job_status', {}]),
      calls(['read_file', at(i)]),
    ]).flat();
    expect((await looped(with_(window(), stuck), ...script)).codes).toContain(
      'warn poll_no_progress_warning',
    );
  });

  const pingPong = (n: number) =>
    Array.from({ length: n }, (_, i) => calls([i % 2 ? 'edit_file' : 'read_file', {}]));

  test.each([5, 6, 7])('L14: the tail A, B, A, B counts the pending call, odd or even: %i', async (warn) => {
    const guardrails = window({ warn, critical: 100, detectors: ['ping_pong'] });
    expect((await looped(with_(guardrails), ...pingPong(warn - 1))).codes).toEqual([]);
    const { guards } = await looped(with_(guardrails), ...pingPong(warn));
    expect(guards[0]).toMatchObject({
      code: 'ping_pong_warning',
      message: expect.stringContaining(`${warn} times in turn`),
    });
  });

  test('L14: a third call breaks it', async () => {
    const guardrails = window({ warn: 6, critical: 100, detectors: ['ping_pong'] });
    const script = [...pingPong(5), calls(['read_file', at(1)]), ...pingPong(5)];
    expect((await looped(with_(guardrails), ...script)).codes).toEqual([]);
  });

  test('L14: for polls a changed result breaks it', async () => {
    let n = 0;
    const guardrails = window({ warn: 6, critical: 100, detectors: ['ping_pong'] });
    const poll = (answer: () => unknown) => with_(guardrails, tool('job_status', answer));
    const script = Array.from({ length: 8 }, (_, i) => calls([i % 2 ? 'job_status' : 'read_file', {}]));
    expect(
      (
        await looped(
          poll(() => 'same'),
          ...script,
        )
      ).codes,
    ).toContain('warn ping_pong_warning');
    expect(
      (
        await looped(
          poll(() => `at ${++n}`),
          ...script,
        )
      ).codes,
    ).toEqual([]);
  });

  test('L13: the described preset has it off', async () => {
    const guardrails: Guardrails = {
      preset: 'praisonai',
      loop: { counts: noCounts, noProgress: { warn: 0, halt: 0 } },
    };
    expect((await looped(with_(guardrails), ...times(25, 'read_file'))).codes).toEqual([]);
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

  test('L16: a message that joins the run empties them too, and ends no halt early', async () => {
    const world = await loop(described, ...times(7, 'read_file', at), calls(['read_file', {}]));
    for (let i = 0; i < 7; i++) await world.step();
    await world.say('by the way');
    await world.settle();
    const { slice, results, events } = await read(world);
    expect(results.map(({ outcome }) => outcome)).toEqual(Array(8).fill('ok'));
    expect(slice('counts').toolCounts).toEqual({ read_file: 1 });
    expect(endings(events)).toHaveLength(1);
  });

  test('L16, rule 4: a halt is for the whole run; the next message begins anew', async () => {
    const world = await loop(described, ...times(12, 'read_file', at), calls(['read_file', {}]));
    await world.settle();
    expect((await read(world)).end).toMatchObject(halt);
    await world.say('go on');
    await world.settle();
    expect((await read(world)).end).toMatchObject({ state: 'completed' });
  });
});
