import { describe, expect, test } from 'vitest';
import type { SessionRow } from '../../../web/client/index.ts';
import { type Arrangement, arranged, isPartial } from '../../../web/console/src/sessions/arranged.ts';
import { readColumns } from '../../../web/console/src/sessions/column-ids.ts';
import { askedBy, filtersOf } from '../../../web/console/src/sessions/filters.ts';
import { readViews, withView } from '../../../web/console/src/sessions/views.ts';

const row = (sessionId: string, costUsd: number, ranMs?: number, steps = 1, input = 0): SessionRow => ({
  ...{ sessionId, agent: 'worker', state: 'completed', title: 't', source: 'http', steps },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', movedAt: '2026-01-01T00:00:00.000Z' },
  totals: { input, output: 1, cacheRead: 1, cacheWrite: 1, costUsd },
  ...(ranMs !== undefined && { ranMs }),
});

const rows = [
  row('a', 0.2, 4_000, 3, 50),
  row('b', 0.05, undefined, 1, 900),
  row('c', 1.5, 900, 3, 7),
  row('d', 0.2, 61_000, 9, 7),
];

test.each<[string, Arrangement, string]>([
  ['nothing', {}, 'a b c d'],
  ['lowest first, without a figure to sort by', { up: true }, 'a b c d'],
  ['cost, and equal ones as they came', { sort: 'cost' }, 'c a d b'],
  ['cost, lowest first', { sort: 'cost', up: true }, 'b a d c'],
  ['duration, and those in progress last', { sort: 'duration' }, 'd a c b'],
  ['duration, lowest first, and those in progress last', { sort: 'duration', up: true }, 'c a d b'],
  ['steps', { sort: 'steps' }, 'd a c b'],
  ['tokens, cached ones included', { sort: 'tokens' }, 'b a c d'],
  ['at least a cost', { cost: 0.2 }, 'a c d'],
  ['at least a duration, which those in progress do not have', { ran: 4 }, 'a d'],
  ['a cost and a duration, sorted', { cost: 0.2, ran: 0.5, sort: 'duration', up: true }, 'c a d'],
  ['zero, which is no filter', { cost: 0, ran: 0 }, 'a b c d'],
])('loaded sessions are arranged by %s', (_, to, ids) => {
  expect(
    arranged(rows, to)
      .map(({ sessionId }) => sessionId)
      .join(' '),
  ).toBe(ids);
  expect(rows.map(({ sessionId }) => sessionId).join(' ')).toBe('a b c d');
});

test('an arrangement is partial if it filters or sorts', () => {
  expect([{}, { cost: 0 }, { up: true }].map(isPartial)).toEqual([false, false, false]);
  expect([{ cost: 1 }, { ran: 1 }, { sort: 'cost' } as const].map(isPartial)).toEqual([true, true, true]);
});

describe('the address', () => {
  test.each([
    [
      { cost: 0.5, ran: '30', sort: 'cost', up: true },
      { cost: 0.5, ran: 30, sort: 'cost', up: true },
    ],
    [
      { cost: '0', up: 'true' },
      { cost: 0, up: true },
    ],
    [{ cost: -1, ran: 'long', sort: 'title', up: 'yes' }, {}],
    [{ cost: '', ran: Number.NaN, sort: ['cost'] }, {}],
    [{ cost: '1e999', ran: null }, {}],
  ])('%j is read as %j', (search, filters) => {
    expect(filtersOf(search)).toEqual(filters);
  });

  test('the API is not asked for what the page does itself', () => {
    expect(askedBy({ agent: 'worker', cost: 1, ran: 2, sort: 'cost', up: true }, 0)).toEqual({
      agent: 'worker',
    });
  });
});

test.each([
  [undefined, 10],
  ['cost', 10],
  [['cost', 'unknown', 7], 2],
  [[], 1],
])('kept columns %j are read as %i columns, the title among them', (stored, n) => {
  const columns = readColumns(stored);
  expect(columns).toHaveLength(n);
  expect(columns).toContain('title');
});

test('kept views are read as far as they can be', () => {
  const stored = [
    null,
    'x',
    { name: 'no filters' },
    { name: 'Dear', filters: { cost: 1, x: 2 }, columns: ['cost'] },
  ];
  expect(readViews(stored)).toEqual([{ name: 'Dear', filters: { cost: 1 }, columns: ['title', 'cost'] }]);
  expect(readViews({})).toEqual([]);
});

test('a saved view replaces one of its name, and views are sorted by name', () => {
  const view = (name: string, agent: string) => ({ name, filters: { agent }, columns: [] });
  const views = [view('B', 'one'), view('A', 'two')].reduce<readonly ReturnType<typeof view>[]>(
    (all, one) => withView(all, one) as readonly ReturnType<typeof view>[],
    [],
  );
  expect(views.map(({ name }) => name)).toEqual(['A', 'B']);
  expect(withView(views, view('B', 'three'))).toEqual([view('A', 'two'), view('B', 'three')]);
});
