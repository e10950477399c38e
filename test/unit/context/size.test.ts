import { describe, expect, test } from 'vitest';
import { estimateTokens } from '../../../shared/agent/context/estimate.ts';
import { estimateOf, limitOf, sizeOf } from '../../../shared/agent/context/size.ts';
import { planFold } from '../../../shared/agent/context/stages.ts';
import { empty, foldTo, from, type History, measured, readOf, step } from './history.fixture.ts';

describe('H13: the limit', () => {
  const of = (context: object, model: object = {}, preset?: string, listed?: number) => {
    const { pinned } = empty(context, model, preset);
    return limitOf({ ...pinned, ...(listed && { window: listed }) });
  };

  test('H13: under hamr is 131,072 less 8,192', () => {
    expect(of({}, { maxTokens: 4_000 }, 'hamr')).toBe(122_880);
    expect(of({}, {}, 'hamr', 200_000)).toBe(122_880);
  });

  test.each<[string, number, object, object, number?]>([
    ['the window in the price list, less a reply', 200_000 - 8_192, {}, {}, 200_000],
    ['for an unknown model, 128,000 less a reply', 128_000 - 8_192, {}, {}],
    ['less the reserve', 199_000, { reserve: 1_000 }, {}, 200_000],
    ['less nothing', 200_000, { reserve: 0 }, {}, 200_000],
    ['at least half of the window', 64_000, {}, { maxTokens: 128_000 }],
    ['at least half of a small one', 4_000, { reserve: 8_192 }, { maxTokens: 100 }, 8_000],
    ["no more than the model's window", 31_000, { window: 131_072, reserve: 1_000 }, {}, 32_000],
    ['the configured size for an unknown model', 499_000, { window: 500_000, reserve: 1_000 }, {}],
  ])('H13: is %s', (_what, limit, context, model, listed) => {
    expect(of(context, model, 'default', listed)).toBe(limit);
  });

  test('H13: is that of the model that is called', () => {
    const fallbacks = [{ name: 'f', window: 32_000, maxTokens: 2_000 }];
    const { pinned } = empty({}, { window: 64_000, maxTokens: 4_000, fallbacks });
    expect([limitOf(pinned), limitOf(pinned, 1)]).toEqual([60_000, 30_000]);
  });
});

describe('the size of a context', () => {
  const text = 'x'.repeat(4_000);
  const begun = () => step(empty({}), { input: [from(text)], text: 'Yes.', tokens: 700 });

  test("is the server's count, and an estimate of everything since", () => {
    const history: History = { ...begun(), waiting: [from('y'.repeat(400))] };
    expect(sizeOf(begun())).toBeLessThan(720);
    expect(sizeOf(history) - sizeOf(begun())).toBeGreaterThanOrEqual(100);
    expect(sizeOf(history)).toBeLessThan(850);
  });

  test('includes results and inputs that have no answer yet', () => {
    const asked = step(empty({}), { input: [from('hi')], calls: [{ content: text }], tokens: 50 });
    expect(sizeOf(asked)).toBeGreaterThan(1_050);
    expect(sizeOf(step(asked, { input: [from(text, 'e')], failed: true }))).toBeGreaterThan(2_050);
  });

  test('is an estimate of everything if the server has not counted this prefix', () => {
    const estimated = (history: History) => expect(sizeOf(history)).toBe(estimateOf(history));
    estimated(step(empty({}), { input: [from(text)], text: 'Yes.' }));
    estimated({ ...begun(), session: { ...begun().session, run: { fallback: 1 } as never } });
    const plan = planFold(measured(begun()), 'thinking');
    if (typeof plan !== 'object') throw new Error('no fold');
    const folded = foldTo(begun(), plan);
    estimated(folded);
    expect(sizeOf(step(folded, { input: [from('more')], text: 'So.', tokens: 900 }))).toBeLessThan(910);
  });

  test('includes all that the server counts, cached or not, and an estimate of the rest', () => {
    const repliedWith = (more: object, usage: object): History => {
      const history = begun();
      const slots = history.slots.map((slot) =>
        slot.kind === 'model' && slot.reply
          ? { ...slot, reply: { ...slot.reply, ...more, usage: { ...slot.reply.usage, ...usage } } }
          : slot,
      );
      return { ...history, slots };
    };
    const counted = repliedWith({}, { input: 1, output: 20, cacheRead: 300, cacheWrite: 4_000 });
    expect(Math.abs(sizeOf(counted) - 4_321)).toBeLessThan(10);
    const estimated = repliedWith({ estimated: true }, { input: 9_000 });
    expect(sizeOf(estimated)).toBe(estimateOf(estimated));
  });

  test('H13: is the estimate of the whole request, prompt and tools included', () => {
    const history = step(empty({}), { input: [from(text)], text: 'Yes.' });
    const { system, tools } = history.pinned;
    expect(estimateOf(history)).toBe(estimateTokens({ system, tools, messages: readOf(history) }));
  });

  test('A5: under sliding_window and compact is a quarter of the characters of the messages', () => {
    for (const strategy of ['sliding_window', 'compact']) {
      const history = step(empty({ strategy }), {
        input: [from('x'.repeat(400))],
        text: 'y'.repeat(400),
        tokens: 9,
      });
      const thought = JSON.stringify({ type: 'thinking', thinking: 'Hm.', signature: 's' }).length;
      expect(sizeOf(history)).toBe(Math.floor((800 + thought + 'Be brief.'.length) / 4));
    }
  });
});
