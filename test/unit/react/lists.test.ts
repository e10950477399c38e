import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SessionRow } from '../../../shared/contract/listing.ts';
import type { Client } from '../../../web/client/connect.ts';
import { ProblemError } from '../../../web/client/problem.ts';
import { Deployment } from '../../../web/react/deployment.ts';
import { askedStore } from '../../../web/react/use-approvals.ts';
import { listStore } from '../../../web/react/use-sessions.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const row = (sessionId: string, movedAt = 't0'): SessionRow => ({ sessionId, movedAt }) as SessionRow;
const over = (client: object) => new Deployment(client as unknown as Client);
/** The state of the store while it has a subscriber. */
const looking = async (kept: { subscribe(told: () => void): () => void }) => {
  const leave = kept.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(0);
  return { leave, [Symbol.dispose]: leave };
};

test('a list shows a page more, each session once, and refreshes all the pages that it shows', async () => {
  let pages = [[row('s3'), row('s2')], [row('s1')]];
  const sessions = vi.fn(async ({ cursor = '0' }: { cursor?: string }) => {
    const at = Number(cursor);
    return { sessions: pages[at] ?? [], ...(at + 1 < pages.length && { next: String(at + 1) }) };
  });
  const kept = listStore(over({ sessions }), { agent: 'triage' });
  const shown = () => kept.get().data?.sessions.map(({ sessionId }) => sessionId);
  using _ = await looking(kept);
  expect([shown(), kept.get().data?.hasMore]).toEqual([['s3', 's2'], true]);
  await kept.more();
  expect([shown(), kept.get().data?.hasMore]).toEqual([['s3', 's2', 's1'], false]);
  // There is no third page to read.
  await kept.more();
  // A session that moves while pages are read is on two of them.
  pages = [
    [row('s1', 't1'), row('s3')],
    [row('s2'), row('s1')],
  ];
  await vi.advanceTimersByTimeAsync(2_000);
  expect(shown()).toEqual(['s1', 's3', 's2']);
  expect(sessions.mock.calls.at(-1)).toEqual([{ agent: 'triage', cursor: '1' }]);
});

test('the approvals of a session are refreshed when it has moved, and a deleted session has none', async () => {
  let moved = 't0';
  const rows = () => [row('s1', moved), row('s2')];
  const session = vi.fn(async (id: string) => {
    if (id === 's2') throw new ProblemError({ type: 'about:blank', title: 'No such session', status: 404 });
    return { waits: [{ id: `w-${moved}`, kind: 'approval' }] };
  });
  const kept = askedStore(over({ sessions: async () => ({ sessions: rows() }), session }), {});
  const shown = () => kept.get().data?.asked.map(({ wait }) => wait.id);
  using _ = await looking(kept);
  expect(shown()).toEqual(['w-t0']);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(session).toHaveBeenCalledTimes(2);
  moved = 't1';
  await vi.advanceTimersByTimeAsync(2_000);
  expect([shown(), session.mock.calls.length]).toEqual([['w-t1'], 3]);
  // Another user may have decided one of two calls, which moves nothing.
  kept.decided('s1');
  await vi.advanceTimersByTimeAsync(0);
  expect(session).toHaveBeenCalledTimes(4);
});
