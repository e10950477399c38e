import { expect, test } from 'vitest';
import { linesOf } from '../../../cli/history.ts';
import { daysAnswer } from '../../../shared/agent/entrypoints/days/answer.ts';
import { sizeOf } from '../../../shared/agent/entrypoints/days/sizes.ts';
import { emptyTally } from '../../../shared/agent/entrypoints/days/tally.ts';

const tally = {
  ...emptyTally,
  ...{ sessions: 3, steps: 4, costUsd: 0.05, infraUsd: 0.01 },
  reasons: [
    { name: 'completed', runs: 2 },
    { name: 'loop_halt', runs: 1 },
  ],
  durations: [{ name: sizeOf(2_000), runs: 3 }],
  agents: [{ name: 'triage', runs: 3, failed: 1, steps: 4, costUsd: 0.05 }],
  models: [{ name: 'm1', calls: 4, input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: 0.05 }],
  tools: [{ name: 'look\u001b[2J', calls: 2, failed: 1, ms: 3_000, costUsd: 0.02 }],
};

test('a history is printed as tables, without what a name could do to a terminal', () => {
  const answer = daysAnswer([{ day: '2026-11-22', tally: { ...tally, partial: true } }], 2);
  const lines = linesOf(answer, { paint: (_style, text) => text, width: 100 });
  const text = lines.join('\n');
  expect(lines[0]).toMatch(/^3 runs, 1 failed, 4 steps, /);
  expect(text).toContain('2 earlier days are not counted yet');
  expect(text).toMatch(/2026-11-22 +3 +1 +4 .*2\.0 s .*not complete/);
  expect(text).toMatch(/\n1 +loop_halt/);
  expect(text).toMatch(/ 3 +1 +4 +triage/);
  expect(text).toMatch(/ 2 +1 +1\.5 s +look/);
  expect(text).not.toContain('\u001b');
});

test('a history of nothing is one line and a day', () => {
  const lines = linesOf(daysAnswer([{ day: '2026-11-22', tally: emptyTally }], 0), {
    paint: (_style, text) => text,
    width: 100,
  });
  expect(lines).toHaveLength(4);
  expect(lines[3]).toMatch(/^2026-11-22 +0 +0 +0 /);
});
