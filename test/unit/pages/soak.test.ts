import { expect, test } from 'vitest';
import { runSoak } from '../../soak/pages/run.ts';

test('calls of pages are answered once, whatever their pages do: the short form of `npm run soak:pages`', async () => {
  const { wrong, ...figures } = await runSoak({ seed: 2, pages: 50 });
  expect(wrong).toEqual([]);
  // It is a soak only if these happened in it.
  const { calls, late, reloads, tabs, interruptions, cuts, killed } = figures;
  for (const [what, count] of Object.entries({ calls, late, reloads, tabs, interruptions, cuts, killed }))
    expect({ what, some: count > 0 }).toEqual({ what, some: true });
}, 120_000);
