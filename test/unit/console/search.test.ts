import { expect, test } from 'vitest';
import { ProblemError, type SessionRow, type SnapshotMessage } from '../../../web/client/index.ts';
import { searchFrom, searchOf, sessionsFor } from '../../../web/console/src/search/asked.ts';
import { MOST_MATCHES, matchesIn, patternOf } from '../../../web/console/src/search/match.ts';
import { BATCH, nothingScanned, type Scanned, scan } from '../../../web/console/src/search/scan.ts';

const row = (n: number): SessionRow => ({
  ...{
    sessionId: `s${n}`,
    agent: 'worker',
    state: 'completed',
    title: `Order ${n}`,
    source: 'http',
    steps: 1,
  },
  ...{
    createdAt: '2026-01-01T00:00:00.000Z',
    movedAt: new Date(Date.UTC(2026, 0, 2) - n * 1_000).toISOString(),
  },
  totals: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 },
});
const user = (content: string): SnapshotMessage => ({ id: 'u', role: 'user', content });

test('a text is found in titles, messages, calls and results, in any case and over lines', () => {
  const messages: SnapshotMessage[] = [
    user('Where is\n  order A-17?'),
    {
      ...{ id: 'a', role: 'assistant', content: 'Looking.' },
      toolCalls: [
        { id: 'c', type: 'function', function: { name: 'look_up', arguments: '{"order":"a-17"}' } },
      ],
    },
    { id: 't', role: 'tool', toolCallId: 'c', content: 'A-17 was delivered' },
  ];
  const where = (text: string) =>
    matchesIn(patternOf(text), { title: 'Order A-17' }, messages).map((m) => m.where);
  expect(where('order a-17')).toEqual(['Title', 'User']);
  expect(where('A-17')).toEqual(['Title', 'User', 'Call of look_up']);
  expect(where('delivered')).toEqual(['Result of look_up']);
  expect(where('LOOK_UP')).toEqual(['Call of look_up']);
  expect(where('refund')).toEqual([]);
});

test('texts within JSON are found as people write them', () => {
  const result: SnapshotMessage = {
    ...{ id: 't', role: 'tool', toolCallId: 'c' },
    content: JSON.stringify({ mail: { text: 'She said "hello"\nand left' }, list: ['a\\b'] }),
  };
  const found = (text: string) =>
    matchesIn(patternOf(text), { title: '' }, [result]).map((match) => match.text);
  expect(found('said "hello" and left')).toEqual(['said "hello"\nand left']);
  expect(found('a\\b')).toEqual(['a\\b']);
  expect(found('"mail":')).toEqual(['"mail":']);
  expect(matchesIn(patternOf('x'), { title: 'not \\ JSON' }, [])).toEqual([]);
});

test('signs of patterns are found as they are', () => {
  for (const text of ['a.b*c', '(x)[y]{z}|^$', 'a\\d', 'a/b-c', '😀?'])
    expect(matchesIn(patternOf(text), { title: `so: ${text}!` }, [])).toMatchObject([{ text }]);
  expect(matchesIn(patternOf('a.c'), { title: 'abc' }, [])).toEqual([]);
});

test('a match comes with what stands around it, cut, and only the first of a session are shown', () => {
  const long = `${'x'.repeat(100)}needle${'y'.repeat(100)}`;
  const [match] = matchesIn(patternOf('NEEDLE'), { title: long }, []);
  expect(match).toEqual({
    ...{ where: 'Title', before: `…${'x'.repeat(60)}`, text: 'needle', after: `${'y'.repeat(60)}…` },
  });
  expect(
    matchesIn(
      patternOf('n'),
      { title: 'n' },
      Array.from({ length: 9 }, () => user('n')),
    ),
  ).toHaveLength(MOST_MATCHES);
});

test('the address carries the text and the filters, which the list of sessions is asked for', () => {
  const asked = searchOf({ text: 17, state: 'error', agent: 'worker', sort: 'cost' });
  expect(asked).toEqual({ text: '17', state: 'error', agent: 'worker', user: undefined, within: undefined });
  expect(sessionsFor(asked, 0)).toEqual({ state: ['error'], agent: 'worker', user: undefined });
  expect(searchFrom({ q: 'refund', agent: 'worker', cost: 2 })).toMatchObject({
    text: 'refund',
    agent: 'worker',
  });
});

interface Play {
  readonly all?: number;
  readonly read?: (sessionId: string, tries: number) => string;
  readonly abort?: AbortController;
  readonly from?: Scanned;
}

/** Runs a search for "needle" over sessions in pages of 50. */
async function play({
  all = 20,
  read = () => 'hay',
  abort = new AbortController(),
  from = nothingScanned,
}: Play) {
  const reads: string[] = [];
  const pauses: number[] = [];
  const progress: Scanned[] = [];
  const end = await scan(from, {
    list: async (cursor) => {
      const at = Number(cursor ?? 0);
      const sessions = Array.from({ length: Math.min(50, all - at) }, (_, i) => row(at + i));
      return { sessions, next: at + 50 < all ? String(at + 50) : undefined };
    },
    read: async (sessionId) => {
      reads.push(sessionId);
      return [user(read(sessionId, reads.filter((one) => one === sessionId).length))];
    },
    pattern: patternOf('needle'),
    onProgress: (state) => void progress.push(state),
    signal: abort.signal,
    pause: async (ms) => void pauses.push(ms),
  });
  return { end, reads, pauses, progress };
}

test('a search reads each session once, tells its progress, and ends with the last one', async () => {
  const { end, reads, progress } = await play({ all: 70, read: (id) => (id === 's60' ? 'a needle' : 'hay') });
  expect([end.handled.size, end.isAtEnd, end.hits.map(({ row: { sessionId } }) => sessionId)]).toEqual([
    70,
    true,
    ['s60'],
  ]);
  expect(end.back).toBe(row(69).movedAt);
  expect(new Set(reads).size).toBe(reads.length);
  expect(progress.length).toBeGreaterThanOrEqual(70);
});

test('a search stops after a batch, and goes on after it when asked', async () => {
  const first = await play({ all: BATCH + 30 });
  expect([first.end.handled.size, first.end.isAtEnd]).toEqual([BATCH, false]);
  const second = await play({ all: BATCH + 30, from: first.end });
  expect([second.end.handled.size, second.end.isAtEnd, second.reads.length]).toEqual([BATCH + 30, true, 30]);
});

test('a stopped search keeps what it has found, and goes on in the middle of a page', async () => {
  const abort = new AbortController();
  const first = await play({
    ...{ all: 60, abort },
    read: (id) => {
      if (id === 's9') abort.abort();
      return id === 's3' ? 'a needle' : 'hay';
    },
  });
  expect(first.end.hits).toHaveLength(1);
  expect(first.end.isAtEnd).toBe(false);
  expect(first.end.handled.size).toBeLessThan(15);
  const second = await play({ all: 60, from: first.end, read: (id) => (id === 's3' ? 'a needle' : 'hay') });
  expect([second.end.handled.size, second.end.hits.length, second.end.isAtEnd]).toEqual([60, 1, true]);
  expect(first.reads.filter((id) => second.reads.includes(id))).toEqual([]);
});

test('a session that cannot be read is named, and the others are searched', async () => {
  const gone = new ProblemError({ type: 'about:blank', title: 'No such session', status: 404 });
  const { end, pauses } = await play({
    read: (id) => {
      if (id === 's3') throw gone;
      return 'needle';
    },
  });
  expect(end.unread).toEqual(['s3']);
  expect(end.hits).toHaveLength(19);
  expect(pauses).toEqual([]);
});

test('a request beyond the limit is repeated after a pause', async () => {
  const busy = new ProblemError({ type: 'about:blank', title: 'Too many requests', status: 429 });
  const { end, pauses } = await play({
    read: (id, tries) => {
      if (id === 's3' && tries < 3) throw busy;
      return 'hay';
    },
  });
  expect([end.unread, pauses]).toEqual([[], [1_000, 3_000]]);
});
