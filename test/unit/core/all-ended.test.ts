import { expect, test } from 'vitest';
import { allEnded } from '../../../shared/agent/plain/all-ended.ts';
import type { Ask } from '../../../shared/agent/session/waits.ts';
import { decidedOf } from '../../../shared/agent/step/batch/asks.ts';

test('results keep their order, and the first failure comes when all have ended', async () => {
  expect(await allEnded([Promise.resolve(1), 2])).toEqual([1, 2]);
  let hasEnded = false;
  const slow = new Promise<void>((resolve) => setTimeout(resolve, 5)).then(() => {
    hasEnded = true;
  });
  await expect(allEnded([Promise.reject(new Error('first')), slow])).rejects.toThrow('first');
  expect(hasEnded).toBe(true);
});

test('a step that cannot read the outcome of one request does not go on with the others in the background', async () => {
  const ask = (child: string): Ask => ({
    ...{ id: `w-${child}`, callId: 'c', kind: 'question', tool: 'ask_user', expiresAt: 9, child, agent: 'a' },
    message: 'Which?',
  });
  let going = 0;
  const read = async ({ sessionId }: { readonly sessionId: string }) => {
    going += 1;
    await new Promise((resolve) => setTimeout(resolve, sessionId === 'broken' ? 0 : 5));
    going -= 1;
    if (sessionId === 'broken') throw new Error('no answer');
    return undefined;
  };
  const io = { sessions: { read }, log: {} } as unknown as Parameters<typeof decidedOf>[3];
  const key = { tenant: 'acme', sessionId: 's1' };
  await expect(decidedOf(key, [ask('broken'), ask('slow')], 1, io)).rejects.toThrow('no answer');
  expect(going).toBe(0);
});
