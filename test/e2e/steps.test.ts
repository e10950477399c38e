/** A session's steps as an operator reads them: `GET /sessions/{sessionId}/steps`. */

import { describe, expect, test } from 'vitest';
import type { WaitInfo } from '../../shared/contract/http.ts';
import type { Totals } from '../../shared/contract/session.ts';
import type { StepDetails, StepInfo } from '../../shared/contract/steps.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { messageStart, openBlock, text } from '../support/model-events.ts';
import { stall } from '../support/model-server.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';

/** Minimum time in ms of every test tool. */
const TOOL_MS = 60;

async function stepsOf(world: Embedded, id: string): Promise<StepInfo[]> {
  const { status, body } = await world.api('GET', `/sessions/${id}/steps`);
  expect(status).toBe(200);
  return body.steps;
}

describe.concurrent('the steps of a session', () => {
  test('of a tool, a guard and an approval show what was done, by whom, when, and the cost', async () => {
    await using model = await ruleModel(({ turn }) => {
      // The same read again and again, to which a guard reacts.
      if (turn < 4) return callTools(['look', { n: 1 }]);
      return turn === 4 ? callTools(['transfer', { n: 7 }]) : sayText('Paid.');
    });
    await using world = await embedded({
      model,
      tools: () => new Promise((done) => setTimeout(() => done({ ok: true }), TOOL_MS)),
    });
    const id = await world.start('Look, and pay.');
    const { waits } = await world.atRest(id);
    const [wait] = waits as WaitInfo[];
    const open = (await stepsOf(world, id)).at(-1);
    expect(open?.calls).toMatchObject([{ name: 'transfer', outcome: 'open' }]);
    await world.api('POST', `/sessions/${id}/decisions`, { id: wait?.id, approved: true });
    await world.becomes(id, 'completed');

    const steps = await stepsOf(world, id);
    expect(steps.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(steps.flatMap(({ verdicts }) => verdicts)).not.toEqual([]);
    const [first, paid, last] = [steps[0], steps[4], steps[5]];
    expect(first).toMatchObject({ kind: 'model', stop: 'tool_use', attempt: 1, slots: [0, 1] });
    expect(first?.times.toolsMs).toBeGreaterThanOrEqual(TOOL_MS - 5);
    for (const { times, startedAt } of steps) {
      expect(times).toMatchObject({
        queueMs: expect.any(Number),
        claimMs: expect.any(Number),
        prepareMs: expect.any(Number),
        modelMs: expect.any(Number),
        firstTokenMs: expect.any(Number),
      });
      expect(Date.parse(startedAt ?? '')).toBeGreaterThan(Date.now() - 120_000);
    }
    // A step's commit time is known if another step follows at once. A step that waits for people is followed after
    // their decision.
    expect(steps.map(({ times }) => times.commitMs !== undefined)).toEqual([
      ...[true, true, true, true, true, false],
    ]);
    expect(paid?.calls).toMatchObject([
      {
        name: 'transfer',
        outcome: 'ok',
        decidedBy: expect.any(String),
        decision: 'approved',
        rule: expect.any(String),
      },
    ]);
    expect(paid?.times.waitMs).toEqual(expect.any(Number));
    expect(Date.parse(paid?.toolsAt ?? '')).toBeGreaterThan(Date.parse(paid?.startedAt ?? ''));
    expect(last).toMatchObject({ stop: 'end_turn', text: 'Paid.', calls: [] });

    // Every dollar of the session belongs to a step.
    const totals = (await world.session(id)).totals as Totals;
    const sum = (of: 'costUsd' | 'infraUsd') => steps.reduce((usd, step) => usd + (step[of] ?? 0), 0);
    expect(sum('costUsd')).toBeCloseTo(totals.costUsd, 8);
    expect(sum('infraUsd')).toBeCloseTo(totals.infraUsd ?? Number.NaN, 8);

    const details = (await world.api('GET', `/sessions/${id}/steps/${paid?.slots[1]}`)).body as StepDetails;
    expect(details.info).toEqual(paid);
    expect(details.content).toContainEqual(expect.objectContaining({ name: 'transfer', input: { n: 7 } }));
    expect(details.results).toMatchObject([{ outcome: 'ok', content: expect.stringContaining('true') }]);
  });

  test('of a killed step show which attempt committed, and the cost of the one before', async () => {
    await using model = await ruleModel(({ n }) =>
      n === 1 ? stall([messageStart(), ...openBlock(text('Half of ', 'an ans'), 0)]) : sayText('Whole.'),
    );
    await using world = await embedded({ model, leaseSeconds: 3 });
    const id = await world.start('Answer me.');
    while (model.asked.length === 0) await new Promise((r) => setTimeout(r, 20));
    expect(world.stack.kill('AgentsStepsStep')).toBe(1);
    await world.atRest(id);
    expect(await stepsOf(world, id)).toMatchObject([
      { step: 1, attempt: 2, text: 'Whole.', lost: { input: expect.any(Number), estimated: true } },
    ]);
  });
});
