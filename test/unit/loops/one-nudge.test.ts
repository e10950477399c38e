import { describe, expect, test } from 'vitest';
import { defineGuard } from '../../../shared/agent/guardrails/guard.ts';
import { calls, says } from '../../../testing/scripted-model.ts';
import { textsOf, tool } from '../step/reading.fixture.ts';
import { type Guardrails, loop, looped, read, times, toldIn } from './loops.fixture.ts';

const readFile = tool('read', () => 'text');
const edit = tool('edit', () => 'ok', { effect: 'once' });
const hamr = { guardrails: 'hamr' as const, tools: [readFile, edit] };
const model = { name: 'test-model', price: { input: 0, output: 0 } };
const path = (i: number) => ({ path: `f${i}` });
const reads = (n: number, from = 0) => times(n, 'read', (i: number) => path(from + i));
/** The framework's texts in the last message of a request. */
const internalIn = (requests: Parameters<typeof toldIn>[0], n: number): string[] =>
  textsOf(requests[n - 1], 'user')
    .slice(n > 1 ? textsOf(requests[n - 2], 'user').length : 0)
    .filter((text) => text.startsWith('['));

describe('H10: every request states how many reads are left', () => {
  test('H10, H11: from the 33rd read on, also together with the order to act', async () => {
    const { requests, codes } = await looped({ ...hamr, limits: { maxSteps: 64 } }, ...reads(40));
    expect(toldIn(requests, 32)).toEqual([expect.stringContaining('No change')]);
    for (let n = 33; n <= 41; n += 1)
      expect(toldIn(requests, n)).toEqual([
        expect.stringContaining('IMPORTANT'),
        expect.stringContaining(`${n - 1} are used, ${65 - n} are left`),
      ]);
    expect(codes.filter((code) => code === 'nudge reads_left')).toHaveLength(1);
  });

  test('H10: also after a step with only text', async () => {
    const batch = calls(...Array.from({ length: 32 }, (_, i): [string, unknown] => ['read', path(i)]));
    const { requests } = await looped(hamr, batch, says("I'll look further."), calls(['edit', path(1)]));
    expect(toldIn(requests, 2)).toEqual([expect.stringContaining('32 are left')]);
    expect(toldIn(requests, 3)).toEqual([expect.stringContaining('32 are left')]);
    expect(internalIn(requests, 3)).toHaveLength(2);
    expect(toldIn(requests, 4)).toEqual([expect.stringContaining('32 are left')]);
  });

  test('H10: not after the last read, and not before work on a new message', async () => {
    const batch = (n: number) =>
      calls(...Array.from({ length: n }, (_, i): [string, unknown] => ['read', path(i)]));
    const world = await loop(hamr, batch(40), says('Well.'), says('Fine.'));
    await world.settle();
    await world.say('and now?');
    await world.settle();
    const { requests } = world.model;
    expect(toldIn(requests, 2)).toHaveLength(1);
    expect(toldIn(requests, 3)).toEqual([]);
  });
});

describe('H11: off if no changes are expected', () => {
  const asking = async (message: string, guardrails: Guardrails, more: readonly string[] = []) => {
    const world = await loop({ ...hamr, guardrails }, ...reads(10), says('Well.'), ...reads(14, 10));
    await world.settle();
    for (const text of [message, ...more]) {
      await world.say(text);
      if (text === message) for (let i = 0; i < 3; i += 1) await world.step();
    }
    await world.settle();
    return (await read(world)).requests.slice(11);
  };
  const orders = (requests: Parameters<typeof toldIn>[0]) =>
    requests.filter((_, i) => i > 0 && toldIn(requests, i + 1).some((text) => text.includes('No change')));
  const accepting = { maxNudges: 0 };
  const patch = { preset: 'hamr' as const, verify: { mode: 'patch' as const, ...accepting } };

  test('H11: the mode docs', async () => {
    const docs = { preset: 'hamr' as const, verify: { mode: 'docs' as const } };
    expect(orders(await asking('Write the page.', docs))).toEqual([]);
  });

  test.each([patch, 'hamr' as const])('H11: a run that only answers a question', async (guardrails) => {
    expect(orders(await asking('How does the parser work?', guardrails))).toEqual([]);
    expect(orders(await asking('Mend the parser.', guardrails))).not.toEqual([]);
  });

  test('H11: a question that joins a task does not end the task', async () => {
    expect(orders(await asking('Mend the parser.', patch, ['What is it about?']))).not.toEqual([]);
  });

  test('H11: an explicit contract applies whatever the message asks', async () => {
    const own = { preset: 'hamr' as const, verify: { contract: 'files_changed' as const, ...accepting } };
    expect(orders(await asking('How does the parser work?', own))).not.toEqual([]);
  });
});

describe('section 7, rule 3: of all advice of a step one piece is given', () => {
  const same = (n: number) => times(n, 'read', path(1));
  const counted: Guardrails = {
    preset: 'attocode',
    loop: { window: { warn: 4, critical: 100, detectors: ['generic_repeat'] } },
  };

  test('L15: the one self-correction is not lost to a streak of calls', async () => {
    const { requests, codes } = await looped({ ...hamr, guardrails: counted }, ...same(6));
    expect(toldIn(requests, 4)).toEqual([expect.stringContaining('Call streak')]);
    expect(toldIn(requests, 5)).toEqual([expect.stringContaining('Pattern')]);
    expect(toldIn(requests, 6)).toEqual([expect.stringContaining('Call streak')]);
    expect(codes.filter((code) => code === 'nudge loop_pattern')).toHaveLength(1);
  });

  test('suppressed advice is given when there is room: failing tests, next to equal calls', async () => {
    const failing = tool('bash', () => ({ exitCode: 1 }), { effect: 'once' });
    const guardrails: Guardrails = 'attocode';
    const { requests, codes } = await looped(
      { tools: [failing], guardrails, model },
      ...times(5, 'bash', { command: 'npm test' }),
    );
    expect(toldIn(requests, 4)).toEqual([expect.stringContaining('Call streak')]);
    expect(toldIn(requests, 5)).toEqual([expect.stringContaining('Tests: they have failed 4 times')]);
    expect(toldIn(requests, 6)).toEqual([expect.stringContaining('Shell: 5 commands')]);
    expect(codes).toEqual(['nudge doom_loop', 'nudge failed_tests', 'nudge failed_shells']);
  });

  test('T9: a reply that is sent back gets one text: the reason, and, when that would repeat, that it only talks', async () => {
    const { requests, codes } = await looped(
      { guardrails: { preset: 'attocode', intent: { max: 4 } }, tools: [readFile], model },
      ...[1, 2, 3].map((i) => says(`Let me look at part ${i}.`)),
      ...reads(1),
    );
    expect([2, 3, 4].map((n) => internalIn(requests, n))).toEqual([
      [expect.stringContaining('Intent:')],
      [expect.stringContaining('last 2 replies only talk')],
      [expect.stringContaining('last 3 replies only talk')],
    ]);
    expect(codes).toEqual([
      'nudge planning_prose',
      'nudge only_talk',
      'nudge planning_prose',
      'nudge planning_prose',
    ]);
  });

  test('T9, H4: missing requirements are named each time, so no other advice replaces them', async () => {
    const verify = { mode: 'patch' as const, maxNudges: 3 };
    const { requests, slice } = await looped(
      { guardrails: { verify }, tools: [readFile, edit] },
      ...[1, 2, 3].map((i) => says(`It is in part ${i}.`)),
      calls(['edit', path(1)]),
    );
    for (const n of [2, 3, 4]) expect(internalIn(requests, n)).toEqual([expect.stringContaining('no file')]);
    expect(slice('only_talk')).toMatchObject({ told: 0 });
  });

  test('a failing tool is mentioned before it ends the run, also if the same call was advised against', async () => {
    const broken = tool('get', () => Promise.reject(new Error('no such host')));
    const guardrails = { loop: { stepRepeat: { limit: 0 } } };
    const { requests, end } = await looped({ tools: [broken], guardrails }, ...times(5, 'get', path(1)));
    expect(toldIn(requests, 4)).toEqual([expect.stringContaining('Call streak')]);
    expect(toldIn(requests, 5)).toEqual([expect.stringContaining('Failures: 4 steps')]);
    expect(end).toMatchObject({ reason: 'tool_error', steps: 5 });
  });

  test('a model without tools gets no advice, and the advice does not count as given', async () => {
    const advises = defineGuard<{ said: number }>({
      name: 'advises',
      scope: 'run',
      initial: { said: 0 },
      hooks: {
        inject: ({ said }) => ({
          state: { said: said + 1 },
          verdict: { kind: 'nudge', code: 'a', text: '[a]' },
        }),
      },
    });
    const definition = { tools: [readFile], guards: [advises], limits: { maxSteps: 2, graceStep: true } };
    const { requests, slice } = await looped(definition, ...reads(2), says('It is in a.ts.'));
    expect([1, 2, 3].map((n) => internalIn(requests, n))).toEqual([
      ['[a]'],
      ['[a]'],
      [expect.stringContaining('Steps')],
    ]);
    expect(slice('advises')).toEqual({ said: 2 });
  });
});

describe('suppressed advice', () => {
  const talks = (stage: 'batch' | 'complete' | 'result', name: string) =>
    defineGuard<{ said: number }>({
      name,
      scope: 'run',
      initial: { said: 0 },
      hooks: {
        [stage]: ({ said }: { said: number }) =>
          said < 1
            ? { state: { said: said + 1 }, verdict: { kind: 'nudge', code: name, text: `[${name}]` } }
            : undefined,
      },
    });

  test.each(['batch', 'result', 'complete'] as const)(
    'at %s: its guard has not given it, it is not counted or reported, and its turn comes',
    async (stage) => {
      const guards = [talks(stage, 'one'), talks(stage, 'two')];
      const once = () => (stage === 'complete' ? says('It is in a.ts.') : calls(['read', path(1)]));
      const world = await loop({ tools: [readFile], guards }, once(), once());
      await world.step();
      const first = await read(world);
      expect(first.session.metadata.guardrails).toMatchObject({ one: { said: 1 } });
      expect(first.slice('two')).toEqual({});
      expect(first.codes).toEqual(['nudge one']);
      expect(first.verdicts).toMatchObject([{ code: 'one' }, { code: 'two', unsaid: true }]);
      expect(world.meter.verdicts.map(({ code }) => code)).toEqual(['one']);
      await world.settle();
      const { codes, requests } = await read(world);
      expect(codes).toEqual(['nudge one', 'nudge two']);
      expect(internalIn(requests, 2)).toEqual(['[one]']);
      expect(internalIn(requests, 3)).toEqual(['[two]']);
      expect(world.meter.verdicts.map(({ code }) => code)).toEqual(['one', 'two']);
    },
  );

  test('at the end of a run: advice that the model never reads is not reported', async () => {
    const guards = [talks('batch', 'one')];
    const halting = tool('read', () => 'text');
    const limits = { tokenBudget: 1 };
    const { codes, world } = await looped({ tools: [halting], guards, limits }, ...reads(1));
    expect(codes).not.toContain('nudge one');
    expect(world.meter.verdicts.map(({ code }) => code)).not.toContain('one');
  });

  test('a cancel that comes in the step ends the run: its nudge is never reported', async () => {
    const world = await loop(
      {
        tools: [
          tool('read', async () => {
            await world.sessions.cancel(world.key, world.clock.now());
            return 'text';
          }),
        ],
        guards: [talks('batch', 'one')],
      },
      ...reads(1),
    );
    await world.settle();
    const { codes, end } = await read(world);
    expect(end).toMatchObject({ state: 'cancelled' });
    expect(codes).toEqual([]);
    expect(world.meter.verdicts).toEqual([]);
  });
});
