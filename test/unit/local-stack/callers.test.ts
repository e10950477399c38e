import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createCallers } from '../../../local/stack/lambda/callers.ts';
import { createLine } from '../../../local/stack/lambda/line.ts';

describe('callers of the APIs', () => {
  /** ms */
  let now = 0;
  let callers: ReturnType<typeof createCallers>;
  beforeEach(() => {
    now = 10_000;
    callers = createCallers(() => now);
  });
  const arrive = (caller: string, calls: number) => {
    for (let n = 0; n < calls; n++) callers.arrived(caller);
  };
  /** A call of this caller that takes some ms. */
  const call = (caller: string, ms: number) => {
    const end = callers.began(caller);
    now += ms;
    end();
  };

  test('one that is alone is never slowed, however many calls it has', () => {
    arrive('noisy', 100);
    call('noisy', 40);
    callers.began('noisy');
    expect(callers.restOf('noisy')).toBe(0);
  });

  test('one with many calls rests after each, three times as long, while another is there', () => {
    arrive('noisy', 100);
    arrive('quiet', 1);
    expect(callers.restOf('noisy')).toBe(0);
    call('noisy', 40);
    expect(callers.restOf('noisy')).toBe(120);
    expect(callers.restOf('quiet')).toBe(0);
    now += 120;
    expect(callers.restOf('noisy')).toBe(0);
    callers.began('noisy');
    expect(callers.restOf('noisy')).toBe(Number.POSITIVE_INFINITY);
  });

  test('several that flood get no more together than one', () => {
    for (const name of ['eve', 'mallory', 'trudy']) arrive(name, 10);
    arrive('quiet', 1);
    call('eve', 40);
    for (const name of ['eve', 'mallory', 'trudy']) expect(callers.restOf(name)).toBe(120);
  });

  test('a flood goes on at full speed once the other has been gone for two seconds', () => {
    arrive('quiet', 1);
    call('quiet', 5);
    arrive('noisy', 100);
    call('noisy', 40);
    expect(callers.restOf('noisy')).toBeGreaterThan(0);
    call('noisy', 40);
    now += 1_995;
    expect(callers.restOf('noisy')).toBe(0);
  });

  test('a page that asks for two things at once is not slowed, and a long call is followed by a short rest', () => {
    arrive('page', 2);
    arrive('quiet', 1);
    callers.began('page');
    expect(callers.restOf('page')).toBe(0);
    arrive('page', 5);
    call('page', 20_000);
    arrive('quiet', 1);
    const end = callers.began('page');
    end();
    expect(callers.restOf('page')).toBeLessThanOrEqual(500);
  });
});

describe('calls that wait for an environment', () => {
  test('callers take turns, and each keeps its order', () => {
    const begun: string[] = [];
    const line = createLine(undefined, () => undefined);
    for (const [caller, name] of [
      ['a', 'a1'],
      ['a', 'a2'],
      ['a', 'a3'],
      ['b', 'b1'],
      [undefined, 'none'],
      ['b', 'b2'],
    ] as const)
      line.add(caller, () => void begun.push(name));
    expect(line.length).toBe(6);
    while (line.next());
    expect(begun).toEqual(['a1', 'b1', 'none', 'a2', 'b2', 'a3']);
    expect(line.length).toBe(0);
  });

  test('one that must rest is passed by, and looked at again', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const begun: string[] = [];
    let rests = true;
    const callers = {
      arrived: () => undefined,
      began: () => () => undefined,
      restOf: (caller: string) => (caller === 'noisy' && rests ? Number.POSITIVE_INFINITY : 0),
    };
    const wake = vi.fn();
    const line = createLine(callers, wake);
    line.add('noisy', () => void begun.push('noisy'));
    line.add('quiet', () => void begun.push('quiet'));
    expect([line.next(), line.next()]).toEqual([true, false]);
    expect(begun).toEqual(['quiet']);
    rests = false;
    vi.advanceTimersByTime(20);
    expect(wake).toHaveBeenCalledTimes(1);
    expect([line.next(), line.next()]).toEqual([true, false]);
    expect(begun).toEqual(['quiet', 'noisy']);
    vi.useRealTimers();
  });

  test('all begin when the pool is stopped', () => {
    const begun: string[] = [];
    const line = createLine(undefined, () => undefined);
    line.add('a', () => void begun.push('a'));
    line.add('b', () => void begun.push('b'));
    line.drain();
    expect(begun).toEqual(['a', 'b']);
  });
});
