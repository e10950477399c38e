import { expect, test } from 'vitest';
import type { SessionRow } from '../../../web/client/index.ts';
import { tally } from '../../../web/console/src/now/tally.ts';
import { askedBy, filtersOf } from '../../../web/console/src/sessions/filters.ts';

const row = (agent: string, costUsd: number, more: Partial<SessionRow>): SessionRow => ({
  ...{ sessionId: 's', agent, state: 'completed', title: 't', source: 'http', steps: 1 },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', movedAt: '2026-01-01T00:00:00.000Z' },
  totals: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd },
  ...more,
});

test('failures are counted by reason, with the latest of each; costs are summed by agent', () => {
  const failed = { state: 'error', reason: 'provider_error' } as const;
  const rows = [
    row('triage', 0.1, { ...failed, message: '401' }),
    row('support', 2, { state: 'running', model: 'small' }),
    row('triage', 0.2, { ...failed, message: '500' }),
    row('triage', 0.3, { state: 'max_steps', reason: 'max_steps' }),
  ];
  const { states, reasons, agents, models } = tally(rows);
  expect(states[0]).toEqual(['error', 2]);
  expect(reasons.map(({ reason, count, latest }) => [reason, count, latest.message])).toEqual([
    ['provider_error', 2, '401'],
    ['max_steps', 1, undefined],
  ]);
  expect(agents.map(({ name, sessions }) => [name, sessions])).toEqual([
    ['support', 1],
    ['triage', 3],
  ]);
  expect(models).toEqual([{ name: 'small', usd: 2, sessions: 1 }]);
  expect(agents[1]?.usd).toBeCloseTo(0.6);
});

test('the use of other agents counts in their own rows alone', () => {
  const { agents } = tally([row('lead', 3, { delegatedUsd: 2 }), row('clerk', 2, {})]);
  expect(agents.map(({ name, usd }) => [name, usd])).toEqual([
    ['clerk', 2],
    ['lead', 1],
  ]);
});

test('an address without filters shows everything; a time span is shown to the minute', () => {
  expect(askedBy(filtersOf({ state: 'lost', reason: 'none', q: '', within: 'ever' }), 0)).toEqual({});
  const now = Date.parse('2026-01-02T00:00:30.500Z');
  expect(askedBy(filtersOf({ state: 'error', reason: 'provider_error', within: 'day' }), now)).toEqual({
    state: ['error'],
    reason: 'provider_error',
    since: '2026-01-01T00:00:00.000Z',
  });
});
