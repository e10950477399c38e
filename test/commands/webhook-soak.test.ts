import { expect, inject, test } from 'vitest';
import { soak } from '../soak/webhooks.ts';

test('deliveries of many senders are all in their sessions, once and in order, even more than an inbox holds', async () => {
  const plan = { deliveries: 160, issues: 5, burst: 125, again: 0.1, seed: 7 };
  const report = await soak(inject('assemblies').soak, { ...plan, senders: 6, modelMs: 300 });
  console.log(report);
  expect(report).toMatchObject({
    ...{ accepted: 160, sessions: 5, held: 160, duplicates: report.again },
    ...{ refused: 0, lost: 0, doubled: 0, misplaced: 0, overtaken: 0 },
  });
  expect(report.again).toBeGreaterThan(0);
  expect(report.waitedBeside).toBeGreaterThan(0);
});

test('webhooks that arrive all at once are all accepted, each once and in order of arrival', async () => {
  const plan = { deliveries: 80, issues: 8, burst: 10, again: 0.1, seed: 11, within: 1 };
  const report = await soak(inject('assemblies').soak, { ...plan, senders: 6, modelMs: 300 });
  console.log(report);
  expect(report).toMatchObject({
    ...{ accepted: 80, sessions: 8, held: 80, duplicates: report.again },
    ...{ refused: 0, lost: 0, doubled: 0, misplaced: 0, overtaken: 0 },
  });
});
