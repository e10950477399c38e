import { beforeEach, describe, expect, test } from 'vitest';
import type { SignOf, SignStore } from '../../shared/edge/signs.ts';
import { now, oddText } from './harness.ts';

const of: SignOf = { server: 'anthropic', model: 'claude', group: 0 };
const sign = { until: now + 30_000, code: 'rate_limit_error' };

/** Different keys that look alike. */
const others: readonly SignOf[] = [
  { ...of, group: 1 },
  { ...of, model: 'claude-2' },
  { ...of, server: 'anthropic2' },
  { ...of, server: 'anthropic#claude', model: '' },
  { ...of, server: 'anthropic","claude', model: '' },
  { ...of, model: oddText.toWellFormed() },
];

/** The contract of `SignStore`. */
export function signsContract(name: string, open: () => Promise<SignStore>): void {
  describe(`${name}: signs`, () => {
    let signs: SignStore;
    beforeEach(async () => {
      signs = await open();
    });

    test('a sign comes back as it was put, and before that there is none', async () => {
      expect(await signs.read(of)).toBeUndefined();
      await signs.put(of, sign);
      expect(await signs.read(of)).toEqual(sign);
    });

    test('the last one stands', async () => {
      await signs.put(of, sign);
      await signs.put(of, { until: now + 60_000, code: 'overloaded_error' });
      expect(await signs.read(of)).toEqual({ until: now + 60_000, code: 'overloaded_error' });
      await signs.put(of, sign);
      expect(await signs.read(of)).toEqual(sign);
    });

    test.each(others)(
      'it belongs to its server, its model and its group alone, and not to %o',
      async (other) => {
        await signs.put(of, sign);
        expect(await signs.read(other)).toBeUndefined();
        await signs.put(other, { ...sign, until: now });
        expect(await signs.read(of)).toEqual(sign);
        expect(await signs.read(other)).toEqual({ ...sign, until: now });
      },
    );
  });
}
