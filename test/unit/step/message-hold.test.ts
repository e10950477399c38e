import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { holdingMessage } from '../../../shared/agent/step/open/message-hold.ts';

test('a message that cannot be hidden fails its step when the step is over, and not its process before', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const io = {
    clock: { now: () => 0, sleep: async () => {} },
    queue: {
      hide: async () => {
        throw new Error('not hidden');
      },
    },
  };
  const held = holdingMessage({ message: {} } as never, 1_000, io as never, async () => {
    await pause(20);
    return 'ack';
  });
  await expect(held).rejects.toThrow('not hidden');
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
