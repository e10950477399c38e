import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AgUiEvent, SnapshotMessage } from '../../../shared/contract/events.ts';
import type { SessionInfo } from '../../../web/client/answers.ts';
import type { Client, From, Listener } from '../../../web/client/connect.ts';
import { ProblemError } from '../../../web/client/problem.ts';
import { textOf, type View } from '../../../web/client/view.ts';
import { watchSession } from '../../../web/client/watch.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const messages: SnapshotMessage[] = [{ id: 'u1', role: 'user', content: 'hello' }];
const piece = (delta: string): AgUiEvent => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta });

/** A client whose session is at these cursors, read by read; then at the last of them. */
function fake(looks: (number | Error)[]) {
  const seen = {
    from: undefined as From | undefined,
    listener: undefined as Listener | undefined,
    closed: 0,
  };
  const client = {
    async session() {
      const look = looks.length > 1 ? looks.shift() : looks[0];
      if (look instanceof Error) throw look;
      return { cursor: look, run: { id: 'r1', ended: false } } as SessionInfo;
    },
    messages: async () => messages,
    subscribe(...[, listener, from]: Parameters<Client['subscribe']>) {
      Object.assign(seen, { listener, from });
      return {
        cursor: 0,
        close() {
          seen.closed += 1;
        },
      };
    },
  };
  return { client, seen };
}

test('it begins with the messages, if they belong to the same cursor', async () => {
  const { client, seen } = fake([4, 7, 9]);
  const views: View[] = [];
  watchSession(client, 's1', { onView: (view) => views.push(view) });
  await vi.advanceTimersByTimeAsync(0);
  expect(views.map((view) => textOf(view, 'user'))).toEqual(['hello']);
  expect(seen.from).toEqual({ after: 9, runId: 'r1' });
});

test('for a session that never pauses the whole log is read', async () => {
  const { client, seen } = fake(Array.from({ length: 20 }, (_, i) => i));
  watchSession(client, 's1', { onView() {} });
  await vi.advanceTimersByTimeAsync(0);
  expect(seen.from).toEqual({});
});

test('many events make one view, and each is reported', async () => {
  const { client, seen } = fake([1]);
  const views: View[] = [];
  const told: string[] = [];
  const onEvent = ({ type }: AgUiEvent) => told.push(type);
  watchSession(client, 's1', { onView: (view) => views.push(view), onEvent });
  await vi.advanceTimersByTimeAsync(0);
  for (const delta of ['a', 'b', 'c']) seen.listener?.onEvent(piece(delta), 2);
  await vi.advanceTimersByTimeAsync(100);
  expect(views.map((view) => textOf(view))).toEqual(['', 'abc']);
  expect(told).toHaveLength(3);
});

test('a temporary failure is retried; a refusal is reported', async () => {
  const refusal = new ProblemError({ type: 'about:blank', title: 'No such session', status: 404 });
  for (const [failure, isRefused] of [
    [new TypeError('fetch failed'), false],
    [refusal, true],
  ] as const) {
    const { client, seen } = fake([failure, 1]);
    const refused: Error[] = [];
    const watch = watchSession(client, 's1', { onView() {}, onRefused: (error) => refused.push(error) });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(refused).toEqual(isRefused ? [refusal] : []);
    expect(seen.from !== undefined).toBe(!isRefused);
    watch.close();
  }
});

test('a subscriber that leaves gets nothing more, also if it leaves before the start', async () => {
  const { client, seen } = fake([1]);
  const views: View[] = [];
  const onView = (view: View) => views.push(view);
  watchSession(client, 's1', { onView }).close();
  await vi.advanceTimersByTimeAsync(100);
  expect(seen.listener).toBeUndefined();
  const watch = watchSession(client, 's1', { onView });
  await vi.advanceTimersByTimeAsync(0);
  seen.listener?.onEvent(piece('late'), 2);
  watch.close();
  await vi.advanceTimersByTimeAsync(100);
  expect(views).toHaveLength(1);
  expect(seen.closed).toBe(1);
});
