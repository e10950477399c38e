import { afterAll, beforeAll, expect, test } from 'vitest';
import { countableFrom, countDays } from '../../shared/agent/entrypoints/days/count.ts';
import { newRun, newSession } from '../../shared/agent/session/session.ts';
import type { Slot } from '../../shared/agent/session/slots.ts';
import { storedTiming } from '../../shared/agent/session/timing.ts';
import { createActivity } from '../../shared/aws/activity.ts';
import { createDays } from '../../shared/aws/days.ts';
import { isDayDue } from '../../shared/aws/days-due.ts';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { createListings } from '../../shared/aws/listings.ts';
import { isOutage } from '../../shared/aws/outage.ts';
import { rates } from '../../shared/aws/rates.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { openAwsStores } from './aws-stores.ts';
import { activityContract, daysContract } from './days.ts';
import { noise } from './harness.ts';

let aws: EmbeddedAws;
beforeAll(async () => {
  aws = await startEmbeddedAws();
});
afterAll(() => aws.stop());

const table = async () => createDynamo(aws.clients.dynamo(), await aws.createTable());
daysContract('aws', async () => createDays(await table()));
activityContract('aws', async () => {
  const dynamo = await table();
  return { listings: createListings(dynamo), activity: createActivity(dynamo) };
});

const day = '2026-11-22';
const start = Date.parse(day);
/** The run of bench:cost (docs/cost.md): 20 steps of 500 tokens, and a call with a result of 1 KB. */
const STEPS = 20;
const SESSIONS = 40;
/** USD of a step there, for infrastructure on Lambda with one listener. */
const STEP_USD = 100.2 / 1e6;

function slotsOf(sessionId: string): Slot[] {
  const usage = { input: 10_000, output: 500, cacheRead: 0, cacheWrite: 0 };
  return Array.from({ length: STEPS }, (_, i): Slot[] => {
    const at = { n: 2 * i, runId: `${sessionId}-0`, verdicts: [] };
    const content = [
      { type: 'text', text: noise(2_000) },
      { type: 'tool_use', id: `c${i}`, name: 'look', input: { i } },
    ];
    const timing = storedTiming({ startedAt: start + i * 60_000, claimMs: 20, askedMs: 30 });
    const reply = {
      messageId: `m${i}`,
      model: 'm',
      stop: 'tool_use' as const,
      content,
      usage,
      costUsd: 0.01,
    };
    const result = {
      callId: `c${i}`,
      name: 'look',
      outcome: 'ok' as const,
      content: noise(1_000),
      durationMs: 9,
    };
    return [
      { ...at, kind: 'model', step: i + 1, input: [], reply, at: timing },
      { ...at, n: at.n + 1, kind: 'tools', replyTo: `m${i}`, results: [result] },
    ];
  }).flat();
}

test('aws: counting a day costs less than 1 % of its steps, and nothing when no day is due', async () => {
  const stores = await openAwsStores(aws);
  const units = { reads: 0, writes: 0, requests: 0 };
  const client = new Proxy(aws.clients.dynamo(), {
    get(target, name) {
      if (name !== 'send') return Reflect.get(target, name);
      return async (command: Parameters<typeof target.send>[0]) => {
        const answer = await target.send(command);
        const { ConsumedCapacity: told = [] } = answer as { ConsumedCapacity?: unknown };
        const isWrite = /Put|Update|Delete/.test(command.constructor.name);
        for (const one of [told].flat() as { CapacityUnits?: number }[])
          units[isWrite ? 'writes' : 'reads'] += one.CapacityUnits ?? 0;
        units.requests++;
        return answer;
      };
    },
  });
  const dynamo = createDynamo(client, stores.tableName);
  const listings = createListings(dynamo);
  for (let i = 0; i < SESSIONS; i++) {
    const key = { tenant: 'acme', sessionId: `s${i}` };
    const slots = slotsOf(key.sessionId);
    const run = { ...newRun, id: `${key.sessionId}-0`, startedAt: start, ended: true };
    const at = start + STEPS * 60_000;
    const lastEnding = { state: 'completed', reason: 'completed', code: '', message: '', at } as const;
    await stores.sessions.create({
      ...newSession(key, 'triage', 'd'),
      version: slots.length,
      run,
      lastEnding,
    });
    await Promise.all(slots.map((slot) => stores.sessions.putSlot(key, 1, slot)));
    const { totals } = newSession(key, 'triage', 'd');
    const standing = { agent: 'triage', state: 'completed', steps: STEPS, totals, order: 2 } as const;
    await listings.moved(key, { ...standing, at }, { title: 'A run', source: 'http' });
  }
  const now = countableFrom(day);
  const io = {
    ...{ clock: { now: () => now }, sessions: stores.over(client).sessions, isOutage },
    ...{ days: createDays(dynamo), activity: createActivity(dynamo) },
  };
  await io.days.begin('acme', day, now);
  Object.assign(units, { reads: 0, writes: 0, requests: 0 });
  expect(await countDays(io)).toEqual({ days: 1, unread: 0 });
  const counted = { ...units };
  expect(await io.days.read('acme', day, day)).toEqual([
    { day, tally: expect.objectContaining({ sessions: SESSIONS, steps: STEPS * SESSIONS }) },
  ]);
  const steps = STEPS * SESSIONS;
  const usd = (counted.reads * rates.reads + counted.writes * rates.writes) / 1e6 / steps;
  // docs/cost.md says how many.
  expect(counted.reads / steps).toBeCloseTo(0.95, 1);
  expect(usd / STEP_USD).toBeLessThan(0.01);
  // The day, and its course; each has one more entry or two of an index.
  expect(counted.writes).toBeLessThanOrEqual(8);

  Object.assign(units, { reads: 0, writes: 0, requests: 0 });
  expect(await isDayDue(dynamo, now)).toBe(false);
  expect(units).toMatchObject({ writes: 0, requests: 1 });
});
