import { describe, expect, test } from 'vitest';
import { batches, pages } from './runs/batches.ts';
import { careless } from './runs/careless.ts';
import { coding } from './runs/coding.ts';
import { measured } from './runs/measured.ts';
import { mixed } from './runs/mixed.ts';
import { operations } from './runs/operations.ts';
import { packageTools } from './runs/package-tools.ts';
import { play, saidIn } from './runs/play.ts';
import { proved, unproved } from './runs/proved.ts';
import { research } from './runs/research.ts';
import { support } from './runs/support.ts';

const kinds = {
  support,
  research,
  coding,
  operations,
  batches,
  pages,
  mixed,
  careless,
  measured,
  packageTools,
};
const limits = { maxSteps: 200 };

describe.each(Object.entries(kinds))('work that progresses: %s', (_kind, runs) => {
  test.each(runs)('$name: the default gives no advice', async ({ tools, steps }) => {
    const { slots, end, guards } = await play(tools, steps, { limits });
    expect(saidIn(slots)).toEqual([]);
    expect(guards).toEqual([]);
    expect(end).toEqual({ state: 'completed', reason: 'completed', steps: steps.length + 1 });
  });
});

describe('H4: a contract that requires a change and a verification', () => {
  const contract: ('files_changed' | 'verification_passed')[] = ['files_changed', 'verification_passed'];
  const guardrails = { verify: { contract } };

  test.each(proved)('$name: it is met, without advice', async ({ tools, steps }) => {
    const { slots, end } = await play(tools, steps, { limits, guardrails });
    expect(saidIn(slots)).toEqual([]);
    expect(end).toEqual({ state: 'completed', reason: 'completed', steps: steps.length + 1 });
  });

  test.each(unproved)('$name: missing requirements are named', async ({ tools, steps, missing }) => {
    const once = { verify: { contract, maxNudges: 1 } };
    const { slots, end } = await play(tools, steps, { limits, guardrails: once }, 2);
    const told = slots.flatMap(({ verdicts }) => verdicts.filter(({ guard }) => guard === 'verification'));
    expect(told[0]).toMatchObject({ kind: 'nudge', text: expect.stringMatching(missing) });
    expect(end).toMatchObject({ reason: 'verification_failed' });
  });

  test.each(proved)('$name: by default they are not named either', async ({ tools, steps }) => {
    expect(saidIn((await play(tools, steps, { limits })).slots)).toEqual([]);
  });
});

test('the corpus has at least a hundred runs, all with different names', () => {
  const names = Object.values(kinds).flatMap((runs) => runs.map(({ name }) => name));
  expect(names.length).toBeGreaterThanOrEqual(100);
  expect(new Set(names.filter((name) => !name.startsWith('the same'))).size).toBeGreaterThan(98);
});

test('a preset with counters comments on the same work', async () => {
  const [run] = support;
  const { slots } = await play(run?.tools ?? {}, run?.steps ?? [], {
    limits,
    guardrails: 'praisonai-current',
  });
  expect(saidIn(slots)).toContain('warn counts/idempotent_warn');
});
