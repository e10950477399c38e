import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { pin } from '../../../shared/agent/define/pin.ts';
import { pinInstead } from '../../../shared/agent/define/pin-instead.ts';
import type { ListedPrice } from '../../../shared/agent/session/pinned.ts';

const listed = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25, window: 200_000 } as ListedPrice;
const pinned = pin(
  defineAgent({
    ...{ name: 'support', version: '1', system: 'You help.' },
    model: { name: 'm1', fallbacks: [{ name: 'm2' }], maxTokens: 900 },
  }),
  { ...listed, input: 3, window: 1_000_000 },
);

describe('a definition with something else in place', () => {
  test('has another prompt, and the rest as it was', () => {
    expect(pinInstead(pinned, { system: 'Be terse.' }, undefined)).toEqual({
      ...pinned,
      system: 'Be terse.',
    });
  });

  test('has another model with its own price and window, and no fallbacks', () => {
    const tried = pinInstead(pinned, { model: 'm3' }, listed);
    expect(tried).toMatchObject({ model: 'm3', maxTokens: 900, window: 200_000, price: { input: 1 } });
    expect(tried.fallbacks).toBeUndefined();
    expect(tried.system).toBe('You help.');
  });

  test('has neither price nor window of the old model, if those of the new one are not known', () => {
    const tried = pinInstead(pinned, { model: 'm3' }, undefined);
    expect([tried.price, tried.window]).toEqual([undefined, undefined]);
  });

  test('is the same, fallbacks included, if its model is', () => {
    expect(pinInstead(pinned, { model: 'm1' }, listed)).toEqual(pinned);
  });
});
