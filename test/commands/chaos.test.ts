import { expect, test } from 'vitest';
import { runChaos } from '../chaos/run.ts';

test('sessions under random kills come to rest, and nothing is lost or doubled', {
  timeout: 300_000,
}, async () => {
  const report = await runChaos({ sessions: 6, kills: 8, seed: 7 });
  console.log(report);
  expect(report.wrong).toEqual([]);
  expect(report.kills).toBeGreaterThanOrEqual(8);
});
