/** Calls that are answered later over HTTP, by a holder of their URL, while nothing runs. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AgUiEvent } from '../../shared/contract/events.ts';
import { connect } from '../../web/client/connect.ts';
import { type Embedded, embedded, type ToolStart } from '../support/embedded.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

let model: RuleModel;
let world: Embedded;
let onStart: (start: ToolStart) => unknown = () => undefined;
const logged: string[] = [];

beforeAll(async () => {
  model = await ruleModel(({ turn, messages }) => {
    const said = String(messages[0]?.content[0]?.text ?? '');
    return turn > 0 ? sayText(`After ${said}.`) : callTools([said, { n: 7 }]);
  });
  world = await embedded({
    model,
    log: (line) => void logged.push(line),
    tools: async (start) => {
      await onStart(start);
      return { ok: true };
    },
  });
}, 120_000);
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

const begin = async (message: string): Promise<string> =>
  (await world.api('POST', '/sessions', { agent: 'worker', message })).body.sessionId;
const urlOf = (start: ToolStart | undefined): string => String(Reflect.get(Object(start?.input), 'url'));
/** Also waits for a session that already rests but has not yet received what moves it. */
const becomes = (id: string, state: string) => world.becomes(id, state);
/** Posts as a service does that knows only the URL. */
const post = async (url: string, body: unknown) => {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  return [response.status, await response.json()];
};

describe.each(['export', 'export_slowly'])('%s', (name) => {
  test('waits without compute, is answered by its URL alone, and the run continues', async () => {
    const id = await begin(name);
    const waiting = await world.atRest(id);
    expect(waiting).toMatchObject({
      state: 'waiting_for_tool',
      reason: 'awaiting_callback',
      waits: [{ kind: 'callback', tool: name, expiresAt: expect.any(String) }],
    });
    const url = urlOf(world.toolStarts.findLast((start) => start.name === name));
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callbacks\/slt_[a-z0-9]{52}$/);
    expect(url.startsWith(String(world.stack.outputs.HttpUrl))).toBe(true);

    expect(await post(`${url}x`, { result: 1 })).toMatchObject([404, { title: 'No such callback' }]);
    expect(await post(url, { results: 1 })).toMatchObject([400, {}]);
    expect(await post(url, { result: { rows: 3 } })).toEqual([202, { result: 'taken' }]);
    expect(await post(url, { result: { rows: 3 } })).toEqual([200, { result: 'taken_before' }]);
    expect(await post(url, { result: { rows: 4 } })).toMatchObject([410, { title: 'Too late' }]);

    await becomes(id, 'completed');
    expect(JSON.stringify(model.asked.at(-1)?.messages.at(-1)?.content)).toContain('rows');
    const token = url.split('/').at(-1) ?? '';
    const seen = JSON.stringify([await world.events(id), await world.messages(id), waiting, model.asked]);
    expect(seen).not.toContain(token);
    expect(logged.join('\n')).not.toContain(token);
  });

  test('accepts an answer that comes before its tool has ended', async () => {
    onStart = async (start) => expect((await post(urlOf(start), { error: 'no disk' }))[0]).toBe(202);
    const id = await begin(name);
    await becomes(id, 'completed');
    onStart = () => undefined;
    expect(JSON.stringify(model.asked.at(-1)?.messages.at(-1)?.content)).toContain('no disk');
  });

  test('shows followers its progress, while it runs and while it waits for an answer', async () => {
    const { HttpUrl: httpUrl = '', SocketUrl: socketUrl = '' } = world.stack.outputs;
    const client = connect({ httpUrl, socketUrl, token: world.token });
    const told: unknown[] = [];
    const follows = Promise.withResolvers<void>();
    // A late follower gets the current state, and not the earlier progress.
    onStart = () => follows.promise;
    const hear = (where: string) => (event: AgUiEvent) => {
      follows.resolve();
      if (event.type === 'CUSTOM' && event.name === 'steploop.progress')
        told.push([where, event.value.message]);
    };
    const id = await begin(name);
    client.subscribe(id, { onEvent: hear('line'), onAside: hear('aside') });
    await world.atRest(id);
    onStart = () => undefined;
    await expect.poll(() => told, { timeout: 20_000 }).toEqual([['line', 'handed out']]);
    const url = urlOf(world.toolStarts.findLast((start) => start.name === name));
    expect(await post(`${url}/progress`, { message: 'half of it', share: 0.5 })).toEqual([
      202,
      { result: 'told' },
    ]);
    expect(await post(`${url}/progress`, { message: 'more' })).toMatchObject([429, {}]);
    await expect.poll(() => told, { timeout: 5_000 }).toContainEqual(['aside', 'half of it']);
    expect(await post(url, { result: 1 })).toMatchObject([202, {}]);
    await becomes(id, 'completed');
    expect(await post(`${url}/progress`, { message: 'late' })).toMatchObject([410, {}]);
    expect(told).toHaveLength(2);
    client.close();
  });

  test('is stopped like any run, and accepts no answers afterwards', async () => {
    const id = await begin(name);
    await world.atRest(id);
    const { body } = await world.api('GET', `/sessions/${id}`);
    expect(
      await world.api('POST', `/sessions/${id}/decisions`, { id: body.waits[0].id, approved: true }),
    ).toMatchObject({ status: 404 });
    await world.api('POST', `/sessions/${id}/cancel`);
    await becomes(id, 'cancelled');
    const url = urlOf(world.toolStarts.findLast((start) => start.name === name));
    expect(await post(url, { result: 1 })).toMatchObject([410, { detail: expect.stringMatching(/stopped/) }]);
  });
});
