/** T22: grants of people for later calls. */

import { describe, expect, test } from 'vitest';
import { covering, used, withGrant } from '../../../shared/agent/policy/grants.ts';
import type { Grant, NewGrant } from '../../../shared/agent/session/leave.ts';

const call = { tool: 'edit', level: 'moderate', digest: 'd1', run: 'r1' } as const;
const given = (grant: Partial<NewGrant> = {}, id = 'g1', before: readonly Grant[] = []) =>
  withGrant(
    before,
    { id, call, grant: { scope: 'run', alike: 'tool', ...grant }, by: 'ann', at: 1_000 },
    1_000,
  );
const covers = (
  grants: readonly Grant[],
  other: Partial<Record<keyof typeof call, string>> = {},
  now = 2_000,
) => covering(grants, { ...call, ...other } as typeof call, now)?.id;

describe('T22: grants', () => {
  test('five uses by default, each counted once', () => {
    let grants = given();
    for (let n = 0; n < 5; n++) {
      expect(covers(grants)).toBe('g1');
      grants = used(grants, 'g1');
    }
    expect(grants).toEqual([]);
  });

  test('for this run, or for the session', () => {
    expect(covers(given(), { run: 'r2' })).toBeUndefined();
    expect(covers(given({ scope: 'session' }), { run: 'r2' })).toBe('g1');
  });

  test('for the same arguments, or for the tool; never for another tool', () => {
    expect(covers(given({ alike: 'call' }), { digest: 'd2' })).toBeUndefined();
    expect(covers(given({ alike: 'call' }))).toBe('g1');
    expect(covers(given(), { digest: 'd2' })).toBe('g1');
    expect(covers(given(), { tool: 'drop' })).toBeUndefined();
  });

  test('never for a more dangerous call than the one that its giver saw', () => {
    expect(covers(given(), { level: 'safe' })).toBe('g1');
    expect(covers(given(), { level: 'dangerous' })).toBeUndefined();
  });

  test('for a time, counted from the decision: then uses are unlimited unless a count was given', () => {
    const minute = given({ seconds: 60 });
    expect(minute).toMatchObject([{ until: 61_000 }]);
    expect(minute[0]?.usesLeft).toBeUndefined();
    expect(covers(minute, {}, 60_999)).toBe('g1');
    expect(covers(minute, {}, 61_000)).toBeUndefined();
    expect(given({ seconds: 60, uses: 2 })).toMatchObject([{ usesLeft: 2 }]);
  });

  test('the same decision gives it once, and fifty are kept', () => {
    expect(given({}, 'g1', given())).toHaveLength(1);
    let grants: readonly Grant[] = [];
    for (let n = 0; n < 60; n++) grants = given({}, `g${n}`, grants);
    expect(grants.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, n) => `g${n + 10}`));
  });
});
