import { describe, expect, test } from 'vitest';
import { presets } from '../../../shared/agent/config/presets.ts';
import { defineGuard } from '../../../shared/agent/guardrails/guard.ts';
import { calls, says } from '../../../testing/scripted-model.ts';
import { endings, tool } from '../step/reading.fixture.ts';
import { type Guardrails, loop, looped, read, times } from './loops.fixture.ts';

const readFile = tool('read_file', () => 'text');
const edit = tool('edit_file', () => 'ok', { effect: 'once' });
const at = (i: number) => ({ path: `f${i}` });
const described = { guardrails: 'praisonai' as const, tools: [readFile, edit] };

describe('L8: an event has the counts of its rule', () => {
  test('L8: tool, count and limits of a warning, a refusal and a halt', async () => {
    const { guards } = await looped(described, ...times(12, 'read_file', at));
    const limits = { warn: 5, block: 8, halt: 12 };
    const of = (code: string) =>
      guards.filter((guard) => guard.code === code).map(({ metadata }) => metadata);
    expect(of('idempotent_warn')[0]).toEqual({ tool: 'read_file', count: 5, limits });
    expect(of('idempotent_block')[0]).toEqual({ tool: 'read_file', count: 8, limits });
    expect(of('idempotent_halt')).toEqual([{ tool: 'read_file', count: 12, limits }]);
  });

  test.each([
    ['no_progress_warn', 'read_file', 4, { warn: 4, halt: 8 }],
    ['doom_loop', 'read_file', 3, { exact: 3, fuzzy: 4 }],
    ['generic_repeat_warning', 'read_file', 6, { warn: 6, critical: 20 }],
  ])('L8: %s', async (code, name, count, limits) => {
    const guardrails: Guardrails = {
      preset: 'praisonai-current',
      loop: {
        callStreak: { exact: 3, fuzzy: 4 },
        window: { warn: 6, detectors: ['generic_repeat'] },
      },
    };
    const { guards } = await looped({ ...described, guardrails }, ...times(7, 'read_file', at(1)));
    expect(guards.find((guard) => guard.code === code)?.metadata).toEqual({ tool: name, count, limits });
  });

  test('L8: when it is turned off, that is reported once, and nothing else', async () => {
    const guardrails: Guardrails = { preset: 'praisonai', loop: { enabled: false } };
    const { guards, end } = await looped({ ...described, guardrails }, ...times(20, 'read_file', at(1)));
    expect(guards).toEqual([
      {
        guard: 'counts',
        action: 'allow',
        code: 'disabled',
        message: 'Loop guards are turned off.',
        metadata: { tool: 'read_file', count: 1 },
      },
    ]);
    expect(end).toMatchObject({ state: 'completed' });
  });
});

describe('T15, T29: the ending lists what was accepted with reservations', () => {
  const endOf = async (guardrails: Guardrails, ...script: ReturnType<typeof says>[]) => {
    const world = await loop({ guardrails, tools: [readFile, edit] }, ...script);
    await world.settle();
    const { events, session } = await read(world);
    return { end: endings(events).at(-1), last: session.lastEnding };
  };

  test('T15: an empty answer', async () => {
    const { end, last } = await endOf('attocode', ...Array.from({ length: 3 }, () => says('')));
    const accepted = {
      guard: 'empty',
      code: 'resilience_failed',
      message: expect.stringContaining('no answer'),
    };
    expect(end).toMatchObject({ success: true, reason: 'completed_empty', ...accepted });
    expect(last).toMatchObject(accepted);
  });

  test.each<[string, string, Guardrails, string, string]>([
    ['T29', 'intent_accepted', {}, 'Let me look at it.', 'announces what was not done'],
    ['H5', 'status_only_accepted', { preset: 'hamr' }, 'Done.', 'names a state'],
    [
      'H4',
      'unverified_accepted',
      { preset: 'hamr', verify: { mode: 'verify' } },
      'It is mended in a.ts.',
      'proof',
    ],
  ])('%s: %s', async (_row, code, guardrails, text, words) => {
    const { end, last } = await endOf(
      guardrails,
      calls(['read_file', at(1)]) as ReturnType<typeof says>,
      ...Array.from({ length: 6 }, () => says(text)),
    );
    expect(end).toMatchObject({
      success: true,
      reason: 'completed',
      code,
      message: expect.stringContaining(words),
    });
    expect(last).toMatchObject({ code });
  });

  test('an ordinary answer has no reservations', async () => {
    const { end, last } = await endOf('default', says('It is in a.ts.'));
    expect(end).not.toHaveProperty('code');
    expect(end).not.toHaveProperty('message');
    expect(last).toMatchObject({ code: 'completed' });
    expect(last).not.toHaveProperty('guard');
  });
});

describe('A20: people read a sentence for people', () => {
  test.each(Object.keys(presets) as (keyof typeof presets)[])(
    'A20: %s: none of the text for the model',
    async (preset) => {
      const bash = tool('bash', () => ({ exitCode: 1, stderr: 'no such thing' }), { effect: 'once' });
      const { guards, slots } = await looped(
        { guardrails: preset, tools: [readFile, edit, bash], limits: { tokenBudget: 4_000, maxSteps: 40 } },
        ...[1, 2, 3].map((i) => says(`Let me look at part ${i}.`)),
        says(''),
        says('It begins', { stop: 'max_tokens' }),
        ...times(4, 'read_file', at(1)),
        ...times(3, 'bash', { command: 'npm test' }),
        ...times(12, 'read_file', at),
      );
      const internal = slots
        .flatMap((slot) => (slot.kind === 'model' ? slot.input : []))
        .filter((one) => one.internal);
      const texts = internal.map(({ text }) => text);
      for (const { message, code } of guards) {
        expect.soft(message, code).not.toMatch(/\[[\w-]+\]|\byou(?:r)?\b|undefined/i);
        expect.soft(texts, code).not.toContain(message);
        expect.soft(message, code).not.toMatch(/^The guard \w+ has /);
        expect.soft(message, code).toMatch(/^[A-Z\w].*\.$/);
      }
    },
  );

  test('A20: a custom guard has its own text for people, and never shows the text for the model', async () => {
    const own = (name: string, message?: string) =>
      defineGuard<{ said: boolean }>({
        name,
        scope: 'run',
        initial: { said: false },
        hooks: {
          batch: ({ said }) =>
            said
              ? undefined
              : {
                  state: { said: true },
                  verdict: { kind: 'nudge', code: 'c', text: '[x] You should.', ...(message && { message }) },
                },
        },
      });
    const { guards } = await looped(
      { tools: [readFile], guards: [own('quiet'), own('frank', 'The limit of the shop is near.')] },
      ...times(3, 'read_file', at),
    );
    expect(guards.map(({ message }) => message)).toEqual([
      'The guard quiet has advised the model.',
      'The limit of the shop is near.',
    ]);
  });
});
