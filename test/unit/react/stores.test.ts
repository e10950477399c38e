import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { polled } from '../../../web/react/polled.ts';
import { store } from '../../../web/react/store.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A store that counts its starts and stops. */
function counted() {
  const counts = { started: 0, stopped: 0 };
  const kept = store('first', (set) => {
    counts.started += 1;
    set('kept');
    return () => {
      counts.stopped += 1;
    };
  });
  return { counts, kept };
}

test('a store keeps nothing before its first subscriber', () => {
  const { counts, kept } = counted();
  expect(kept.get()).toBe('first');
  expect(counts).toEqual({ started: 0, stopped: 0 });
});

test('a subscriber that leaves and returns at once, as in StrictMode, has not left', () => {
  const { counts, kept } = counted();
  kept.subscribe(() => {})();
  const leave = kept.subscribe(() => {});
  vi.runAllTimers();
  expect(counts).toEqual({ started: 1, stopped: 0 });
  leave();
  vi.runAllTimers();
  expect(counts).toEqual({ started: 1, stopped: 1 });
  expect(kept.get()).toBe('first');
});

test('two subscribers share the state, until the last has left', () => {
  const { counts, kept } = counted();
  const leave = [kept.subscribe(() => {}), kept.subscribe(() => {})];
  leave[0]?.();
  vi.runAllTimers();
  expect(counts).toEqual({ started: 1, stopped: 0 });
  leave[1]?.();
  vi.runAllTimers();
  expect(counts.stopped).toBe(1);
});

test('a result that comes after the last subscriber has left is dropped', () => {
  let late = (_value: string) => {};
  const kept = store('first', (set) => {
    late = set;
    return () => {};
  });
  kept.subscribe(() => {})();
  vi.runAllTimers();
  late('late');
  expect(kept.get()).toBe('first');
});

test('it is refreshed while it has subscribers, and a failure keeps the last state', async () => {
  let n = 0;
  const kept = polled(
    async () => {
      n += 1;
      if (n === 2) throw new Error('no network');
      return n;
    },
    () => 1_000,
  );
  const leave = kept.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(0);
  expect(kept.get()).toEqual({ data: 1, error: undefined });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(kept.get()).toEqual({ data: 1, error: new Error('no network') });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(kept.get()).toEqual({ data: 3, error: undefined });
  leave();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(n).toBe(3);
});

test('a refresh during a read causes one more read: the running one may be older', async () => {
  const answers: ((value: number) => void)[] = [];
  const kept = polled(
    () => new Promise<number>((resolve) => answers.push(resolve)),
    () => 1_000,
  );
  const leave = kept.subscribe(() => {});
  const refreshed = [kept.refresh(), kept.refresh()];
  expect(answers).toHaveLength(1);
  answers[0]?.(1);
  await vi.advanceTimersByTimeAsync(0);
  expect(answers).toHaveLength(2);
  answers[1]?.(2);
  await Promise.all(refreshed);
  expect(kept.get().data).toBe(2);
  leave();
});

test('a hidden page reads nothing', async () => {
  vi.stubGlobal('document', { visibilityState: 'hidden' });
  let n = 0;
  const kept = polled(
    async () => {
      n += 1;
    },
    () => 1_000,
  );
  const leave = kept.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(5_000);
  expect(n).toBe(1);
  vi.stubGlobal('document', { visibilityState: 'visible' });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(n).toBe(2);
  leave();
  vi.unstubAllGlobals();
});
