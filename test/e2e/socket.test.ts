import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refused } from '../support/ag-ui.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { messageStart, openBlock, text } from '../support/model-events.ts';
import { stall } from '../support/model-server.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';
import { isTerminal, watch } from '../support/watcher.ts';

let model: RuleModel;
let world: Embedded;
beforeAll(async () => {
  model = await ruleModel(({ messages, turn, lastText }) => {
    const said = String(messages[0]?.content[0]?.text ?? '');
    if (said === 'talk') return stall([messageStart(), ...openBlock(text('On ', 'and ', 'on'), 0)]);
    if (said === 'work' && turn === 0) return callTools(['look', { n: 1 }]);
    return sayText('You said: ', lastText, '.');
  });
  world = await embedded({
    model,
    tools: async () => {
      await pause(700);
      return { ok: true };
    },
  });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

const open = (ticket: string) =>
  new Promise<'open' | 'refused'>((resolve) => {
    const socket = new WebSocket(`${world.stack.outputs.SocketUrl}?ticket=${ticket}`);
    socket.onopen = () => {
      resolve('open');
      socket.close();
    };
    socket.onerror = () => resolve('refused');
  });

describe('a WebSocket', () => {
  test('is opened once by a ticket, and by nothing else', async () => {
    const { body } = await world.api('POST', '/tickets');
    expect(body.expiresAt - Date.now()).toBeLessThanOrEqual(60_000);
    expect(await open(body.ticket)).toBe('open');
    expect(await open(body.ticket)).toBe('refused');
    expect(await open('')).toBe('refused');
    expect(await open(world.token)).toBe('refused');
  });

  test('refuses to follow a missing session', async () => {
    const { HttpUrl: httpUrl = '', SocketUrl: socketUrl = '' } = world.stack.outputs;
    const { connect } = await import('../../web/client/connect.ts');
    const client = connect({ httpUrl, socketUrl, token: world.token });
    const error = await new Promise<Error>((resolve) => {
      client.subscribe('nothere', { onEvent: () => {}, onRefused: resolve });
    });
    expect(error.message).toContain('No such session');
    client.close();
  });

  test('shows the run live, and shows a later client the same', async () => {
    const id = await world.start('hello');
    using live = watch(world, id);
    await live.seen(isTerminal);
    using late = watch(world, id);
    await late.seen(isTerminal);
    expect(live.texts('assistant')).toEqual(['You said: hello.']);
    expect(late.events).toEqual(live.events);
    const types = live.events.map(({ type }) => type);
    expect(types[0]).toBe('RUN_STARTED');
    expect(types.at(-1)).toBe('RUN_FINISHED');
    expect(await refused(live.events)).toBeUndefined();
  });

  test('stops a run in the middle of the stream', async () => {
    const id = await world.start('talk');
    using watcher = watch(world, id);
    await watcher.seen((event) => event.type === 'TEXT_MESSAGE_CONTENT' && event.delta.includes('On'));
    await world.api('POST', `/sessions/${id}/cancel`);
    await watcher.seen(isTerminal);
    expect(await refused(watcher.events)).toBeUndefined();
    expect(await world.atRest(id)).toMatchObject({ state: 'cancelled', reason: 'cancelled' });
    expect(watcher.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
    expect(await world.messages(id)).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: 'On and on' },
    ]);
  });
});

test('accepts a message during a run, which joins it at the next step', async () => {
  const id = await world.start('work');
  using watcher = watch(world, id);
  while (world.toolStarts.length === 0) await pause(20);
  expect(await world.api('POST', `/sessions/${id}/messages`, { message: 'and hurry' })).toMatchObject({
    status: 202,
  });
  await watcher.seen(isTerminal);
  expect(await world.atRest(id)).toMatchObject({ state: 'completed', run: { steps: 2 } });
  expect((await world.messages(id)).map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'user',
    'assistant',
  ]);
  expect(model.asked.at(-1)?.lastText).toBe('and hurry');
  expect(await refused(watcher.events)).toBeUndefined();
});
