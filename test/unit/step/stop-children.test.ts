import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { withoutOrphans } from '../../../shared/agent/step/batch/stop-children.ts';
import { stopBackground } from '../../../shared/agent/step/end/stop-background.ts';

/** Ports whose first read of a session fails at once, while the second cancel is still on its way. */
function ports() {
  const done: string[] = [];
  let cancels = 0;
  const io = {
    clock: { now: () => 0 },
    later: { settle: async () => ({ stands: { result: {} } }) },
    queue: { send: async () => void done.push('sent') },
    sessions: {
      async cancel() {
        if (cancels++ > 0) await pause(20);
        return 'cancelled';
      },
      async read() {
        if (cancels === 2 && done.length === 1) throw new Error('no answer');
        return undefined;
      },
    },
  };
  return { io, done };
}

const key = { tenant: 'acme', sessionId: 's1' };

test('a step that fails while it stops children ends when all have been stopped', async () => {
  const { io, done } = ports();
  const calls = ['c1', 'c2'].map((id) => ({ id, name: 'helper', input: {} }));
  const results = calls.map(({ id, name }) => ({
    callId: id,
    name,
    content: '',
    outcome: 'ok',
    durationMs: 0,
  }));
  const step = { tools: [{ name: 'helper', delegates: true }], session: {}, loaded: { key }, io };
  await expect(withoutOrphans(step as never, 0, calls as never, results as never)).rejects.toThrow(
    'no answer',
  );
  expect(done).toEqual(['sent', 'sent']);
});

test('a step that fails while it stops sessions in the background ends when all have been stopped', async () => {
  const { io, done } = ports();
  const background = ['b1', 'b2'].map((id) => ({ id, callId: id, name: 'helper', sessionId: id }));
  let settles = 0;
  const settle = async () => {
    if (settles++ === 0) throw new Error('no answer');
    await pause(5);
    return io.later.settle();
  };
  const session = { key, background };
  await expect(stopBackground(session as never, { ...io, later: { settle } } as never)).rejects.toThrow(
    'no answer',
  );
  expect(done).toEqual(['sent']);
});
