/** The cost of calls, and the parts of their bills that it leaves out. */

import { describe, expect, test } from 'vitest';
import { mostOf } from '../../../shared/agent/budgets/purchase.ts';
import type { Billing } from '../../../shared/agent/session/billing.ts';
import { addTotals, billOf, totalsOf } from '../../../shared/agent/session/cost.ts';
import { noTotals, noUsage } from '../../../shared/agent/session/session.ts';
import { priceOf } from '../../../shared/models/prices.ts';

const price = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 };
const million = 1_000_000;

describe('cache writes', () => {
  test('for an hour cost twice the input if the price table does not say', () => {
    const usage = { ...noUsage, cacheWrite: million, cacheWrite1h: 600_000 };
    expect(billOf(usage, price)).toEqual({ costUsd: 0.6 * 4 + 1 });
    expect(billOf(usage, { ...price, cacheWrite1h: 5 })).toEqual({ costUsd: 0.6 * 5 + 1 });
  });

  test('cost nothing for an hour if they cost nothing for five minutes', () => {
    const usage = { ...noUsage, cacheWrite: million, cacheWrite1h: million };
    expect(billOf(usage, { ...price, cacheWrite: 0 })).toEqual({ costUsd: 0 });
  });
});

describe('tiers', () => {
  const tiered = { ...price, tiers: [{ above: 200_000, input: 4, output: 15 }] };

  test.each([
    ['at the limit', { input: 100_000, cacheRead: 100_000 }, 0.2 + 0.02 + 0.01],
    ['above it, cached tokens included', { input: 100_001, cacheRead: 100_000 }, 0.400004 + 0.02 + 0.015],
  ])('%s: the whole call is charged at one price', (_name, tokens, usd) => {
    const bill = billOf({ ...noUsage, ...tokens, output: 1_000 }, tiered);
    expect(bill.costUsd).toBeCloseTo(usd, 9);
  });

  test('the highest of several exceeded tiers applies', () => {
    const two = { ...price, tiers: [...tiered.tiers, { above: 500_000, input: 8, output: 30 }] };
    expect(billOf({ ...noUsage, input: 600_000 }, two)).toEqual({ costUsd: 4.8 });
  });

  test('apply to each pass, if a server called its model several times', () => {
    const pass = { ...noUsage, input: 150_000, output: 10 };
    const usage = { ...noUsage, input: 300_000, output: 20 };
    expect(billOf(usage, tiered, { passes: [pass, pass] }).costUsd).toBe(0.6 + 0.0002);
    expect(billOf(usage, tiered).costUsd).toBe(1.2 + 0.0003);
  });

  test.each([
    ['gpt-5.4', 271_999, 5],
    ['gemini-2.5-pro', 200_000, 2.5],
  ])('of %s are in the price list', async (model, above, input) => {
    expect((await priceOf(model))?.tiers).toMatchObject([{ above, input }]);
  });

  test('are not invented for a model without them', async () => {
    const sonnet = await priceOf('claude-sonnet-5-5');
    expect(sonnet).toMatchObject({ webSearch: 10, modes: { batch: 0.5, us: 1.1 } });
    expect(sonnet).not.toHaveProperty('tiers');
    expect((sonnet?.cacheWrite1h ?? 0) / (sonnet?.input ?? 1)).toBe(2);
  });
});

describe('how a call was served', () => {
  test('has multiples of Gemini, of each model only those that are known', async () => {
    expect((await priceOf('gemini-3.8-flash'))?.modes).toEqual({ batch: 0.5, flex: 0.5, priority: 1.8 });
    expect((await priceOf('gemini-3.1-pro-preview'))?.modes).toEqual({ batch: 0.5, flex: 0.5 });
  });

  test.each<[string, Billing['modes'], number, string[] | undefined]>([
    ['at half the price', ['flex'], 1, undefined],
    ['at another multiple', ['priority'], 5, undefined],
    ['in a region with a surcharge', ['us'], 2.2, undefined],
    ['in two ways at once', ['flex', 'us'], 1.1, undefined],
    ['in a way without a price', ['scale'], 2, ['scale']],
  ])('%s: %j', (_name, modes, usd, notInPrice) => {
    const of = { ...price, modes: { flex: 0.5, priority: 2.5, us: 1.1 } };
    expect(billOf({ ...noUsage, input: million }, of, { modes })).toEqual({
      costUsd: usd,
      ...(notInPrice && { notInPrice }),
    });
  });

  test('a multiplier leaves no rounding noise behind the last digit', () => {
    expect(billOf({ ...noUsage, input: 1_000 }, { ...price, modes: { us: 1.1 } }, { modes: ['us'] })).toEqual(
      {
        costUsd: 0.0022,
      },
    );
  });
});

describe('charges of a server besides tokens', () => {
  const usage = { ...noUsage, input: 500, webSearches: 3 };

  test('searches cost their fee, however the call was served', () => {
    const of = { ...price, webSearch: 10, modes: { flex: 0.5 } };
    expect(billOf(usage, of, { modes: ['flex'] })).toEqual({ costUsd: 0.0305 });
  });

  test('without a known fee they are named', () => {
    expect(billOf(usage, price)).toEqual({ costUsd: 0.001, notInPrice: ['web_search'] });
  });

  test('tokens on the side are charged, and counted in totals', () => {
    const aside = { ...noUsage, input: 180_000, output: 3_500 };
    const own = { ...noUsage, input: 23_000, output: 1_000 };
    const bill = billOf(own, price, { aside });
    expect(bill.costUsd).toBe((203_000 * 2 + 4_500 * 10) / 1e6);
    expect(totalsOf({ usage: own, billing: { aside } }, bill)).toMatchObject({
      input: 203_000,
      output: 4_500,
    });
  });

  test('a cost that the server reports beats the price list, but not the agent’s own price', () => {
    const billing = { usd: 0.01234567891 };
    expect(billOf(usage, { ...price, listed: true }, billing)).toEqual({ costUsd: 0.012345679 });
    expect(billOf(usage, undefined, billing)).toEqual({ costUsd: 0.012345679 });
    expect(billOf(usage, price, billing)).toEqual({ costUsd: 0.001, notInPrice: ['web_search'] });
  });

  test('a call of a model without a price has no cost, and the bill says so', () => {
    expect(billOf(usage, undefined)).toEqual({ costUsd: 0, notInPrice: ['tokens'] });
  });

  test('totals list each part that was left out once', () => {
    const lacking = (...notInPrice: ('flex' | 'web_search')[]) => ({ ...noTotals, notInPrice });
    const sum = addTotals(addTotals(noTotals, lacking('flex', 'web_search')), lacking('web_search'));
    expect(sum.notInPrice).toEqual(['web_search', 'flex']);
    expect(addTotals(noTotals, noTotals)).not.toHaveProperty('notInPrice');
  });
});

describe('the reservation for a call', () => {
  const model = { maxTokens: 1_000, price: { ...price, webSearch: 10 } };
  const usd = (different: object, tokens = 100_000) =>
    mostOf(tokens, { ...model, ...different }).microUsd / 1e6;

  test.each<[string, object, number]>([
    ['its input as a cache write', {}, 0.25 + 0.01],
    ['a write for an hour, if one is requested', { cache: { system: '1h' } }, 0.4 + 0.01],
    [
      'a write for an hour by the request',
      { request: { cache_control: { type: 'ephemeral', ttl: '1h' } } },
      0.4 + 0.01,
    ],
    [
      'the searches that the server may make',
      { serverTools: [{ type: 'web_search_20260209', name: 'web_search', max_uses: 3 }] },
      0.26 + 0.03,
    ],
    [
      'ten searches without a limit',
      { serverTools: [{ type: 'web_search_20260209', name: 'web_search' }] },
      0.26 + 0.1,
    ],
    [
      'the requested way of serving',
      { price: { ...price, modes: { priority: 2 } }, request: { service_tier: 'priority' } },
      0.52,
    ],
    [
      'no discount, which a server may refuse',
      { price: { ...price, modes: { flex: 0.5 } }, request: { service_tier: 'flex' } },
      0.26,
    ],
    [
      'the tier for its length',
      { price: { ...price, tiers: [{ above: 90_000, input: 4, output: 20, cacheWrite: 5 }] } },
      0.5 + 0.02,
    ],
  ])('%s', (_name, different, most) => {
    expect(usd(different)).toBeCloseTo(most, 6);
  });
});
