import { describe, expect, test } from 'vitest';
import { calls, says, saysAndCalls } from '../../../testing/scripted-model.ts';
import { ofType, textsOf, tool } from '../step/reading.fixture.ts';
import { loop, looped, read, times, toldIn } from './loops.fixture.ts';

const reading = (name = 'read', answer: (input: Record<string, unknown>) => unknown = () => 'text') =>
  tool(name, answer);
const edit = tool('edit', () => 'ok', { effect: 'once' });
const bash = tool('bash', ({ command }) => ({ exitCode: 0, stdout: String(command) }), { effect: 'once' });
/** Without recovery, which lets the first halt pass (H16). */
const unrecovered = { preset: 'hamr' as const, recovery: { total: 0 } };
const hamr = { guardrails: unrecovered, tools: [reading(), edit, bash] };
const toolError = { state: 'error', reason: 'tool_error' };
const path = (name: string) => ({ path: name });

describe('H8: identical reads', () => {
  test('H8: the fifth identical read ends the run, and has a result', async () => {
    const { end, results, events } = await looped(hamr, ...times(5, 'read', path('a')));
    expect(end).toEqual({ ...toolError, steps: 5 });
    expect(results.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok', 'ok', 'refused']);
    expect(ofType(events, 'TOOL_CALL_RESULT')).toHaveLength(5);
  });

  test('H8: four are allowed', async () => {
    expect((await looped(hamr, ...times(4, 'read', path('a')))).end).toMatchObject({ state: 'completed' });
  });

  test('H8: reads between do not matter, other ranges are other reads', async () => {
    const between = [0, 1, 2, 3, 4].flatMap((i) => [
      calls(['read', path('a')]),
      calls(['read', { path: 'a', from: i }]),
    ]);
    expect((await looped(hamr, ...between)).end).toMatchObject({ ...toolError, steps: 9 });
  });

  test('H8: the order of arguments does not matter', async () => {
    const one = () => calls(['read', { path: 'a', from: 1 }]);
    const other = () => calls(['read', { from: 1, path: 'a' }]);
    expect((await looped(hamr, one(), other(), one(), other(), one())).end).toMatchObject(toolError);
  });

  test('H8: a change of that path starts the count again', async () => {
    const script = [
      ...times(4, 'read', path('a')),
      calls(['edit', path('./a')]),
      ...times(4, 'read', path('a')),
    ];
    expect((await looped(hamr, ...script)).end).toMatchObject({ state: 'completed' });
  });

  test('H8: so does a shell that changes it', async () => {
    const script = [
      ...times(4, 'read', path('a')),
      calls(['bash', { command: 'sed -i s/x/y/ ./a' }]),
      ...times(4, 'read', path('a')),
    ];
    expect((await looped(hamr, ...script)).end).toMatchObject({ state: 'completed' });
  });

  test('H8: a change of another path does not, nor one that failed', async () => {
    const failing = tool('edit', () => Promise.reject(new Error('no')), { effect: 'once' });
    const script = [...times(4, 'read', path('a')), calls(['edit', path('b')]), calls(['read', path('a')])];
    expect((await looped(hamr, ...script)).end).toMatchObject(toolError);
    const failed = [...times(4, 'read', path('a')), calls(['edit', path('a')]), calls(['read', path('a')])];
    expect((await looped({ ...hamr, tools: [reading(), failing] }, ...failed)).end).toMatchObject(toolError);
  });

  test('H8: another result than before starts the count again', async () => {
    let n = 0;
    const changing = reading('read', () => (++n < 5 ? 'old' : `new ${n}`));
    const { end } = await looped(
      { ...hamr, tools: [changing] },
      ...times(4, 'read', path('a')),
      ...times(4, 'read', path('b')),
    );
    expect(end).toMatchObject({ state: 'completed' });
    n = 0;
    const moves = reading('read', () => (++n === 4 ? 'new' : n < 4 ? 'old' : 'new'));
    expect((await looped({ ...hamr, tools: [moves] }, ...times(7, 'read', path('a')))).end).toMatchObject({
      state: 'completed',
    });
  });

  test('H8: at three the model is asked to stop', async () => {
    const { requests } = await looped(hamr, ...times(4, 'read', path('a')));
    expect(toldIn(requests, 3)).toEqual([]);
    expect(toldIn(requests, 4)).toEqual([expect.stringContaining('Identical reads')]);
  });

  test('H8: five in one batch: none runs, and each has its result', async () => {
    const batch = calls(...Array.from({ length: 5 }, (): [string, unknown] => ['read', path('a')]));
    const { end, results } = await looped(hamr, batch);
    expect(end).toMatchObject({ ...toolError, steps: 1 });
    expect(results.map(({ outcome }) => outcome)).toEqual([...Array(4).fill('cancelled'), 'refused']);
  });

  test('H8: the count starts again with the next message', async () => {
    const world = await loop(hamr, ...times(5, 'read', path('a')), ...times(4, 'read', path('a')));
    await world.settle();
    await world.say('again');
    await world.settle();
    expect((await read(world)).end).toMatchObject({ state: 'completed' });
  });
});

describe('H16: recovery', () => {
  test('H8, H16: under the whole preset the first halt is recovered from, and the count begins again', async () => {
    const whole = { ...hamr, guardrails: 'hamr' as const };
    const once = await looped(whole, ...times(9, 'read', path('a')));
    expect(once.end).toMatchObject({ state: 'completed' });
    expect(once.results.map(({ outcome }) => outcome)).toEqual([
      ...Array(4).fill('ok'),
      'refused',
      ...Array(4).fill('ok'),
    ]);
    const twice = await looped(whole, ...times(10, 'read', path('a')));
    expect(twice.end).toEqual({ ...toolError, steps: 10 });
  });
});

describe('H9: identical commands', () => {
  const run = (command: string) => ({ command });

  test('H9: three run, the fourth is refused and ends the run', async () => {
    const { end, results } = await looped(hamr, ...times(4, 'bash', run('make')));
    expect(end).toEqual({ ...toolError, steps: 4 });
    expect(results.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok', 'refused']);
  });

  test('H9, H16: under the whole preset the run ends at the second fourth', async () => {
    const whole = { ...hamr, guardrails: 'hamr' as const };
    const { end } = await looped(whole, ...times(8, 'bash', run('make')));
    expect(end).toEqual({ ...toolError, steps: 8 });
  });

  test('H9: three are allowed', async () => {
    expect((await looped(hamr, ...times(3, 'bash', run('make')))).end).toMatchObject({ state: 'completed' });
  });

  test('H9: blanks do not make a command another one; anything between does not reset', async () => {
    const script = [
      calls(['bash', run('make  all')]),
      calls(['read', path('a')]),
      calls(['bash', run(' make all\n')]),
      calls(['bash', run('ls')]),
      calls(['bash', run('make\tall')]),
      calls(['bash', run('make all')]),
    ];
    expect((await looped(hamr, ...script)).end).toMatchObject({ ...toolError, steps: 6 });
  });

  test('H9: a successful edit clears the counts', async () => {
    const script = [
      ...times(3, 'bash', run('make')),
      calls(['edit', path('a')]),
      ...times(3, 'bash', run('make')),
    ];
    expect((await looped(hamr, ...script)).end).toMatchObject({ state: 'completed' });
  });

  test('H9: on_nth refuses the third', async () => {
    const guardrails = {
      ...unrecovered,
      loop: { callStreak: { bash: { stopOn: 'on_nth' as const } } },
    };
    expect((await looped({ ...hamr, guardrails }, ...times(3, 'bash', run('make')))).end).toMatchObject({
      ...toolError,
      steps: 3,
    });
  });
});

describe('H10: the read budget', () => {
  const read40 = (from: number, n: number) =>
    calls(...Array.from({ length: n }, (_, i): [string, unknown] => ['read', { path: `f${from + i}` }]));
  const quiet = { ...hamr, guardrails: { preset: 'hamr' as const, loop: { noMutation: { levels: [] } } } };

  test('H10: from the 32nd read on each request says how many are left', async () => {
    const { requests } = await looped(quiet, read40(0, 31), read40(31, 1), read40(32, 1), read40(33, 30));
    expect(toldIn(requests, 2)).toEqual([]);
    expect(toldIn(requests, 3)).toEqual([expect.stringContaining('32 are used, 32 are left')]);
    expect(toldIn(requests, 4)).toEqual([expect.stringContaining('33 are used, 31 are left')]);
    expect(toldIn(requests, 5)).toEqual([expect.stringContaining('63 are used, 1 are left')]);
  });

  test('H10: the 65th read is refused, and the run goes on', async () => {
    const { end, results, requests } = await looped(
      quiet,
      read40(0, 32),
      read40(32, 32),
      read40(64, 1),
      read40(65, 3),
      calls(['edit', path('a')]),
    );
    expect(toldIn(requests, 3)).toEqual([]);
    expect(results.filter(({ outcome }) => outcome === 'ok')).toHaveLength(65);
    expect(results[64]).toMatchObject({
      outcome: 'refused',
      content: expect.stringContaining('All 64 reads'),
    });
    // Four refusals in a row, and three errors would have ended the run (H16).
    expect(end).toMatchObject({ state: 'completed' });
  });

  test('H10: 0 is off', async () => {
    const guardrails = {
      preset: 'hamr' as const,
      reads: { budget: 0 },
      loop: { noMutation: { levels: [] } },
    };
    const { results, requests } = await looped({ ...hamr, guardrails }, read40(0, 40), read40(40, 40));
    expect(results.every(({ outcome }) => outcome === 'ok')).toBe(true);
    expect(textsOf(requests.at(-1), 'user')).toEqual(['go']);
  });

  test('H10: people are told of it once, and never see what the model is told', async () => {
    const { codes, events } = await looped(quiet, read40(0, 32), read40(32, 1), read40(33, 1));
    expect(codes).toEqual(['nudge reads_left']);
    expect(JSON.stringify(ofType(events, 'TEXT_MESSAGE_CONTENT'))).not.toContain('[loop-guard]');
  });
});

describe('H11: steps without a change', () => {
  const reads = (n: number, from = 0) => times(n, 'read', (i: number) => path(`f${from + i}`));

  test('H11: level 1 before step 9, level 2 before 10, level 3 before 11 and 12', async () => {
    const { requests } = await looped(hamr, ...reads(11));
    expect(toldIn(requests, 8)).toEqual([]);
    expect(toldIn(requests, 9)).toEqual([expect.stringContaining('make the change now')]);
    expect(toldIn(requests, 10)).toEqual([expect.stringContaining('in your next step')]);
    expect(toldIn(requests, 11)).toEqual([expect.stringContaining('IMPORTANT')]);
    expect(toldIn(requests, 12)).toEqual([expect.stringContaining('11 steps in a row')]);
  });

  test('H11: a successful edit resets, a failed one and a shell do not', async () => {
    const { requests } = await looped(hamr, ...reads(7), calls(['edit', path('a')]), ...reads(7, 7));
    expect(requests.flatMap((_, i) => toldIn(requests, i + 1))).toEqual([]);
    const failing = {
      ...hamr,
      tools: [reading(), tool('edit', () => Promise.reject(new Error('no')), { effect: 'once' }), bash],
    };
    const { requests: after } = await looped(
      failing,
      ...reads(6),
      calls(['edit', path('a')]),
      calls(['bash', { command: 'ls' }]),
    );
    expect(toldIn(after, 9)).toEqual([expect.stringContaining('make the change now')]);
  });

  test('H11: a batch is one step', async () => {
    const batch = (from: number) =>
      calls(...[0, 1, 2].map((i): [string, unknown] => ['read', path(`g${from + i}`)]));
    const { requests } = await looped(hamr, ...[0, 3, 6, 9, 12, 15, 18].map(batch));
    expect(requests.flatMap((_, i) => toldIn(requests, i + 1))).toEqual([]);
  });

  test('H11: not without a tool that changes something', async () => {
    const { requests } = await looped({ ...hamr, tools: [reading()] }, ...reads(10));
    expect(requests.flatMap((_, i) => toldIn(requests, i + 1))).toEqual([]);
  });

  test('H11: not when the contract is none', async () => {
    const guardrails = { preset: 'hamr' as const, verify: { contract: 'none' as const } };
    const { requests } = await looped({ ...hamr, guardrails }, ...reads(10));
    expect(requests.flatMap((_, i) => toldIn(requests, i + 1))).toEqual([]);
  });

  test('H11: by default only when the contract asks for changes', async () => {
    const counts = { idempotent: { warn: 0, block: 0, halt: 0 } };
    const unasked = await looped({ ...hamr, guardrails: { loop: { counts } } }, ...reads(9));
    expect(unasked.codes).toEqual([]);
    const asked = {
      loop: { counts },
      verify: { mode: 'patch' as const, onExhausted: 'accept' as const, maxNudges: 0 },
    };
    expect((await looped({ ...hamr, guardrails: asked }, ...reads(9))).codes).toContain(
      'nudge no_mutation_1',
    );
  });

  test('H11: a step that only talks neither counts nor resets', async () => {
    const { requests } = await looped(hamr, ...reads(7), says("I'll look further."), ...reads(1, 7));
    expect(toldIn(requests, 10)).toEqual([expect.stringContaining('8 steps in a row')]);
  });
});

describe('A23: the preset aar', () => {
  test('A23: eight steps of reading are told of once a session', async () => {
    const world = await loop(
      { ...hamr, guardrails: 'aar' },
      ...times(10, 'read', (i: number) => path(`${i}`)),
      says('well'),
      ...times(9, 'read', (i: number) => path(`x${i}`)),
    );
    await world.settle();
    await world.say('more');
    await world.settle();
    const { codes } = await read(world);
    expect(codes).toEqual(['nudge no_mutation_1']);
  });
});

describe('A23: a step that only reads', () => {
  const aar = { ...hamr, guardrails: 'aar' as const };
  const looks = (i: number) => ({ command: `cat f${i}` });

  test('A23: steps of a shell are none', async () => {
    const { codes } = await looped(aar, ...times(12, 'bash', looks));
    expect(codes).toEqual([]);
  });

  test('A23: a shell between begins anew, also in one batch with reads', async () => {
    const reads = (n: number) => times(n, 'read', (i: number) => path(`${n}-${i}`));
    const both = calls(['read', path('x')], ['bash', looks(1)]);
    expect((await looped(aar, ...reads(7), calls(['bash', looks(1)]), ...reads(6))).codes).toEqual([]);
    expect((await looped(aar, ...reads(7), both, ...reads(6))).codes).toEqual([]);
    expect((await looped(aar, calls(['bash', looks(1)]), ...reads(8))).codes).toEqual([
      'nudge no_mutation_1',
    ]);
  });

  test('H11: for hamr a shell that changes nothing counts, and one that changes a file begins anew', async () => {
    const eight = times(8, 'bash', (i: number) => ({ command: `make -n t${i}` }));
    expect((await looped(hamr, ...eight)).codes).toEqual(['nudge no_mutation_1']);
    const edits = calls(['bash', { command: 'sed -i s/a/b/ a.ts' }]);
    expect((await looped(hamr, ...eight.slice(0, 7), edits, ...eight.slice(0, 3))).codes).toEqual([]);
  });
});

describe('A20: our texts', () => {
  test('A20: a nudge is in the request after all results of its batch, is kept, and is not shown', async () => {
    const { requests, slots, events } = await looped(
      hamr,
      ...times(2, 'read', path('a')),
      saysAndCalls('more', ['read', path('a')], ['read', path('b')]),
    );
    const last = requests.at(-1)?.messages.at(-1)?.content ?? [];
    expect(last.map(({ type }) => type)).toEqual(['tool_result', 'tool_result', 'text']);
    const input = slots.flatMap((slot) => (slot.kind === 'model' ? slot.input : []));
    expect(input).toContainEqual({
      text: expect.stringContaining('Identical reads'),
      internal: { reason: 'identical_reads' },
    });
    expect(JSON.stringify(ofType(events, 'MESSAGES_SNAPSHOT'))).not.toContain('Identical reads');
  });
});
