import { describe, expect, test } from 'vitest';
import { calls, says } from '../../../testing/scripted-model.ts';
import { tool } from '../step/reading.fixture.ts';
import { loop, looped, read, times, toldIn } from './loops.fixture.ts';

const reading = (name = 'read', answer: (input: Record<string, unknown>) => unknown = () => 'text') =>
  tool(name, answer);
const edit = tool('edit', () => 'ok', { effect: 'once' });
const bash = tool('bash', ({ command }) => ({ exitCode: 0, stdout: String(command) }), { effect: 'once' });
/** Without recovery, which lets the first halt pass (H16). */
const unrecovered = { preset: 'hamr' as const, recovery: { total: 0 } };
const hamr = { guardrails: unrecovered, tools: [reading(), edit, bash] };
const path = (name: string) => ({ path: name });

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

  test.each(['read_only', 'docs'] as const)('H11: not in the mode %s, if the agent sets it', async (mode) => {
    const { requests } = await looped(
      { ...hamr, guardrails: { ...unrecovered, verify: { mode } } },
      ...reads(11),
    );
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

  test('H11: a step with only text neither counts nor resets', async () => {
    const { requests } = await looped(hamr, ...reads(7), says("I'll look further."), ...reads(1, 7));
    expect(toldIn(requests, 10)).toEqual([expect.stringContaining('8 steps in a row')]);
  });
});

describe('A23: the preset aar', () => {
  test('A23: eight steps of reading are reported once a session', async () => {
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

  test('A23: steps of a shell do not count', async () => {
    const { codes } = await looped(aar, ...times(12, 'bash', looks));
    expect(codes).toEqual([]);
  });

  test('A23: a shell in between restarts the count, also in one batch with reads', async () => {
    const reads = (n: number) => times(n, 'read', (i: number) => path(`${n}-${i}`));
    const both = calls(['read', path('x')], ['bash', looks(1)]);
    expect((await looped(aar, ...reads(7), calls(['bash', looks(1)]), ...reads(6))).codes).toEqual([]);
    expect((await looped(aar, ...reads(7), both, ...reads(6))).codes).toEqual([]);
    expect((await looped(aar, calls(['bash', looks(1)]), ...reads(8))).codes).toEqual([
      'nudge no_mutation_1',
    ]);
  });

  test('H11: under hamr a shell that changes nothing counts, and one that changes a file restarts the count', async () => {
    const making = (n: number) => times(n, 'bash', (i: number) => ({ command: `make -n t${i}` }));
    expect((await looped(hamr, ...making(8))).codes).toEqual(['nudge no_mutation_1']);
    const edits = calls(['bash', { command: 'sed -i s/a/b/ a.ts' }]);
    expect((await looped(hamr, ...making(7), edits, ...making(3))).codes).toEqual([]);
  });
});
