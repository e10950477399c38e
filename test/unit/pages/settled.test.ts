import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { settled } from '../../../web/ai-sdk/settled.ts';
import { pageWorld, person } from './page-world.fixture.ts';

const pay = defineTool({
  ...{ name: 'pay', description: 'Pays.', input: z.object({}), effect: 'once', approval: 'always' },
  run: () => 'paid',
});

test('a page that waits for an approval learns when another person has decided', async () => {
  const it = await pageWorld({ tools: [pay] }, scriptedModel(calls(['pay', {}]), says('Paid.')));
  const parts = [{ type: 'text', text: 'Pay' }];
  await it.chat('POST', '/chat', { id: 's1', messages: [{ id: 'm1', role: 'user', parts }] });
  const waits = () => it.chat('GET', '/chat/s1/waits') as unknown;
  const [wait] = (await it.view()).session.batch?.waits ?? [];
  expect(await waits()).toEqual({ isGoing: false, waits: [wait?.id] });
  const resume = [{ interruptId: wait?.id, status: 'resolved' }];
  await it.agui('/agui', { resume }, person('bob', ['steploop-operator']));
  expect(await waits()).toEqual({ isGoing: false, waits: [] });
});

const waits = (...ids: string[]) => ({ isGoing: false, waits: ids });

test.each([
  ['one of several waits is settled', [waits('a', 'b'), waits('a', 'b'), waits('b')], 3],
  ['nothing is waited for', [waits()], 1],
  ['the run goes on', [waits('a'), { isGoing: true, waits: [] }], 2],
  ['the network returns', [waits('a'), undefined, waits()], 3],
])('settled resolves when %s', async (_what, answers, looks) => {
  vi.useFakeTimers();
  const left = [...answers];
  let looked = 0;
  const done = settled(async () => {
    looked += 1;
    const next = left.shift();
    if (!next) throw new TypeError('fetch failed');
    return next;
  }, undefined);
  await vi.advanceTimersByTimeAsync(60_000);
  await done;
  expect(looked).toBe(looks);
  vi.useRealTimers();
});

test('settled rejects when its page leaves', async () => {
  const left = new AbortController();
  const done = settled(async () => waits('a'), left.signal);
  left.abort(new Error('gone'));
  await expect(done).rejects.toThrow('gone');
});

test('settled leaves one listener on its signal at most, however long it waits', async () => {
  vi.useFakeTimers();
  const left = new AbortController();
  const [add, remove] = [
    vi.spyOn(left.signal, 'addEventListener'),
    vi.spyOn(left.signal, 'removeEventListener'),
  ];
  const done = settled(async () => waits('a'), left.signal);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(add.mock.calls.length).toBeGreaterThan(10);
  expect(add.mock.calls.length - remove.mock.calls.length).toBe(1);
  left.abort(new Error('gone'));
  await expect(done).rejects.toThrow('gone');
  vi.useRealTimers();
});
