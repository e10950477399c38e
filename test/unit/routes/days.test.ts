import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { beforeEach, expect, test } from 'vitest';
import type { RouteContext } from '../../../functions/routes/context.ts';
import { readHistory } from '../../../functions/routes/days.ts';
import { emptyTally } from '../../../shared/agent/entrypoints/days/tally.ts';
import { newRun, newSession } from '../../../shared/agent/session/session.ts';
import { DaysBody } from '../../../shared/contract/answers.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import type { State } from '../../../shared/contract/session.ts';
import { createDays } from '../../../shared/memory/days.ts';
import { type MemoryWorld, memoryWorld } from '../../../testing/memory-world.ts';

const HOUR = 3_600_000;
const operator: Identity = { tenant: 'acme', subject: 'operator', kind: 'token' };
let world: MemoryWorld;
let days: ReturnType<typeof createDays>;
beforeEach(async () => {
  // Two hours after midnight, UTC.
  world = memoryWorld();
  await world.clock.advance(2 * HOUR);
  days = createDays();
});

const ask = async (
  query: Record<string, string> = {},
  more: Partial<MemoryWorld> = {},
  caller = operator,
) => {
  const event = { queryStringParameters: query } as unknown as APIGatewayProxyEventV2;
  const context = { io: { ...world, ...more }, days, listed: world.listings } as unknown as RouteContext;
  const { body } = await readHistory(event, caller, context);
  return DaysBody.parse(JSON.parse(body ?? ''));
};

/** A session whose run ended, or goes on, at this time. */
async function make(sessionId: string, at = world.clock.now(), state: State = 'completed') {
  const key = { tenant: 'acme', sessionId };
  const session = newSession(key, 'triage', 'd');
  const run = { ...newRun, id: `${sessionId}-0`, startedAt: at - 1_000, ended: state !== 'running' };
  const lastEnding = { state, reason: 'completed', code: '', message: '', at } as const;
  await world.sessions.create({ ...session, state, run, ...(run.ended && { lastEnding }) });
  const standing = { agent: 'triage', state, steps: 1, totals: session.totals, at, order: 2 };
  await world.listings.moved(key, standing, { title: '', source: 'http' });
}

test('the last day is today by the server’s clock, in UTC, and is counted in the answer', async () => {
  await make('today');
  await make('yesterday', world.clock.now() - 3 * HOUR);
  const answer = await ask({ days: '3' });
  expect(answer).toMatchObject({ pending: 2, days: [{ day: '2026-11-22', sessions: 1, runs: 1 }] });
  expect(answer.days[0]?.partial).toBeUndefined();
});

test('days before it are read as they were counted, and those that are missing are pending', async () => {
  for (const day of ['2026-11-17', '2026-11-19', '2026-11-21'])
    await days.put('acme', {
      day,
      tally: { ...emptyTally, steps: 2, reasons: [{ name: 'timed_out', runs: 3 }] },
    });
  await days.put('globex', { day: '2026-11-20', tally: emptyTally });
  const answer = await ask({ days: '4' });
  expect(answer.days.map(({ day }) => day)).toEqual(['2026-11-19', '2026-11-21', '2026-11-22']);
  expect(answer).toMatchObject({ pending: 1, total: { runs: 6, failed: 6, steps: 4 } });
  expect((await ask({ days: '1' })).days).toHaveLength(1);
});

test('the first request begins the counting, ninety days back; another one changes nothing', async () => {
  await ask({ days: '7' });
  await world.clock.advance(HOUR);
  await ask();
  const due: unknown[] = [];
  for await (const page of days.due(world.clock.now())) due.push(...page);
  expect(due).toEqual([{ tenant: 'acme', day: '2026-08-25', at: world.clock.now() - HOUR }]);
});

test('today is partial with more sessions than an answer reads', async () => {
  for (let i = 0; i < 120; i++) await make(`s${i}`);
  expect((await ask()).days[0]).toMatchObject({ sessions: 100, partial: true });
});

test('today is partial if a session cannot be read, or there is no time; a failing store is an error', async () => {
  for (let i = 0; i < 15; i++) await make(`s${i}`);
  const reading = (act: (sessionId: string) => Promise<unknown>) => ({
    sessions: {
      ...world.sessions,
      async read(key: Parameters<typeof world.sessions.read>[0]) {
        await act(key.sessionId);
        return world.sessions.read(key);
      },
    },
  });
  const broken = async (id: string) => (id === 's3' ? Promise.reject(new Error('broken')) : undefined);
  expect((await ask({}, reading(broken))).days[0]).toMatchObject({ sessions: 14, partial: true });
  const slow = () => world.clock.advance(5_000);
  expect((await ask({}, reading(slow))).days[0]).toMatchObject({ sessions: 10, partial: true });
  await expect(
    ask(
      {},
      reading(() => Promise.reject(new Error('throttled'))),
    ),
  ).rejects.toThrow('throttled');
});

test('callers who see only their own sessions are refused, and begin nothing', async () => {
  const ada: Identity = { tenant: 'acme', subject: 'user:ada', kind: 'jwt', roles: [] };
  await expect(ask({}, {}, ada)).rejects.toMatchObject({ problem: { status: 403 } });
  for await (const page of days.due(Number.MAX_SAFE_INTEGER)) expect(page).toEqual([]);
});
