import { expect, test } from 'vitest';
import { watchdog } from '../../../shared/models/common/watchdog.ts';
import { virtualClock } from '../../../testing/clock.ts';

function watched() {
  const time = virtualClock();
  const naps: number[] = [];
  const quiet: number[] = [];
  const clock = {
    now: time.now,
    sleep(ms: number, signal?: AbortSignal) {
      naps.push(ms);
      return time.sleep(ms, signal);
    },
  };
  const begun = time.now();
  return { time, naps, quiet, dog: watchdog(clock, () => quiet.push(time.now() - begun)) };
}

test('a watchdog fires once, after the whole time since it was last armed', async () => {
  const { time, quiet, dog } = watched();
  dog.arm(1000);
  await time.advance(600);
  dog.arm(1000);
  await time.advance(999);
  expect(quiet).toEqual([]);
  await time.advance(1);
  expect(quiet).toEqual([1600]);
  await time.advance(10_000);
  expect(quiet).toEqual([1600]);
});

test('a watchdog that is armed with each piece of a stream sleeps once in its time, not once a piece', async () => {
  const { time, naps, quiet, dog } = watched();
  for (let piece = 0; piece < 100; piece++) {
    dog.arm(1000);
    await time.advance(50);
  }
  expect(naps.length).toBeLessThan(10);
  await time.advance(949);
  expect(quiet).toEqual([]);
  await time.advance(1);
  expect(quiet).toEqual([5950]);
});

test('a watchdog that is armed for less wakes earlier', async () => {
  const { time, quiet, dog } = watched();
  dog.arm(1000);
  dog.arm(100);
  await time.advance(100);
  expect(quiet).toEqual([100]);
});

test('a stopped watchdog does not fire, and may be armed again', async () => {
  const { time, quiet, dog } = watched();
  dog.arm(1000);
  dog.stop();
  await time.advance(5000);
  expect(quiet).toEqual([]);
  dog.arm(1000);
  await time.advance(1000);
  expect(quiet).toEqual([6000]);
});
