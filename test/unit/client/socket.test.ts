import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepOpen, type Status } from '../../../web/client/socket.ts';

const MINUTE = 60_000;

/** A WebSocket that opens at once and plays a script. */
class FakeSocket extends EventTarget {
  static all: FakeSocket[] = [];
  readyState = 0;
  readonly sent: string[] = [];
  answers = true;

  constructor(_url: string) {
    super();
    FakeSocket.all.push(this);
    queueMicrotask(() => {
      this.readyState = 1;
      this.dispatchEvent(new Event('open'));
    });
  }

  send(text: string) {
    this.sent.push(text);
    if (this.answers) this.dispatchEvent(new MessageEvent('message', { data: '{"type":"pong"}' }));
  }

  close() {
    this.readyState = 3;
    this.dispatchEvent(new Event('close'));
  }
}

let statuses: Status[];
const open = () =>
  keepOpen({
    WebSocket: FakeSocket as never,
    url: async () => 'ws://localhost',
    onOpen: () => {},
    onMessage: () => {},
    onStatus: (status) => statuses.push(status),
    onRefused: () => {},
  });

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.all = [];
  statuses = [];
});
afterEach(() => vi.useRealTimers());

test('pings more often than every 10 minutes, and stays open while it gets answers', async () => {
  const socket = open();
  await vi.advanceTimersByTimeAsync(60 * MINUTE);
  expect(FakeSocket.all).toHaveLength(1);
  expect(FakeSocket.all[0]?.sent.length).toBeGreaterThanOrEqual(7);
  socket.close();
});

test('closes each connection before its 2 hours are over, and reconnects', async () => {
  const socket = open();
  await vi.advanceTimersByTimeAsync(119 * MINUTE);
  expect(FakeSocket.all).toHaveLength(2);
  expect(FakeSocket.all[0]?.readyState).toBe(3);
  socket.close();
});

test('treats a silent connection as dead', async () => {
  const socket = open();
  await vi.advanceTimersByTimeAsync(0);
  for (const fake of FakeSocket.all) fake.answers = false;
  await vi.advanceTimersByTimeAsync(11 * MINUTE);
  expect(FakeSocket.all).toHaveLength(2);
  socket.close();
});

test('backs off while there is no answer, up to 10 s', async () => {
  const socket = keepOpen({
    WebSocket: FakeSocket as never,
    url: () => Promise.reject(new Error('offline')),
    onOpen: () => {},
    onMessage: () => {},
    onStatus: (status) => statuses.push(status),
    onRefused: () => {},
  });
  await vi.advanceTimersByTimeAsync(10 * MINUTE);
  const tries = statuses.filter((status) => status === 'connecting').length;
  expect(tries).toBeGreaterThan(60);
  expect(tries).toBeLessThan(150);
  socket.close();
});

test('closes at once, whatever the connection does', async () => {
  const socket = open();
  await vi.advanceTimersByTimeAsync(0);
  socket.close();
  await vi.advanceTimersByTimeAsync(0);
  expect(statuses.at(-1)).toBe('closed');
  expect(vi.getTimerCount()).toBe(0);
});
