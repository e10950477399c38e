import { expect, test } from 'vitest';
import { type Client, connect, emptyView, fold, textOf, type View } from '../../web/client/index.ts';
import { embedded } from '../support/embedded.ts';
import { apiError } from '../support/model-server.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';

test('a session with files is forked, edited and retried; each fork reads what it shares from the other session, and shows it to followers', async () => {
  let revoked = false;
  await using model = await ruleModel(({ turn, lastText }) => {
    if (revoked) return apiError(401, 'authentication_error', 'invalid x-api-key');
    if (turn === 0) return callTools(['draft', { path: 'plan', bytes: [1] }]);
    return lastText.startsWith('add') ? callTools(['draft', { path: 'plan', bytes: [2] }]) : sayText('Done.');
  });
  await using world = await embedded({ model });
  const { httpUrl, socketUrl } = {
    httpUrl: world.stack.outputs.HttpUrl ?? '',
    socketUrl: world.stack.outputs.SocketUrl ?? '',
  };
  const client: Client = connect({ httpUrl, socketUrl, token: world.token });
  const { sessionId: id } = await client.createSession({ agent: 'editor', message: 'begin' });
  await world.atRest(id);
  await client.addMessage(id, 'add to it');
  await world.atRest(id);
  const bytesOf = async (of: string) => {
    const [file] = (await world.api('GET', `/sessions/${of}/files?path=plan`)).body.files;
    return [...new Uint8Array(await (await fetch(file.url)).arrayBuffer())];
  };
  expect(await bytesOf(id)).toEqual([1, 2]);

  // Up to the first step, whose file belongs to the other session. The fork's own writes belong to the fork.
  const forked = await client.fork(id, { slot: 0 });
  expect(forked.forkOf).toEqual({ sessionId: id, below: 2 });
  expect(await bytesOf(forked.sessionId)).toEqual([1]);
  let view: View = emptyView;
  const following = client.subscribe(forked.sessionId, {
    onEvent(event) {
      view = fold(view, event);
    },
  });
  await client.addMessage(forked.sessionId, 'add otherwise');
  await world.atRest(forked.sessionId);
  expect(await bytesOf(forked.sessionId)).toEqual([1, 2]);
  await expect.poll(() => view.run.kind, { timeout: 20_000 }).toBe('finished');
  expect(textOf(view, 'user')).toBe('beginadd otherwise');
  following.close();
  // Both send the model the same beginning: the call of the first step, and its result.
  const beginningOf = (said: string) => {
    const asked = model.asked.find(({ lastText }) => lastText.startsWith(said));
    const [first, second, third] = asked?.messages ?? [];
    const text = JSON.stringify([first, second, third?.content[0]]);
    return text.replaceAll(/,"cache_control":\{[^}]*\}/g, '');
  };
  expect(beginningOf('add otherwise')).toBe(beginningOf('add to it'));

  const firstOf = async (of: string) => (await client.messages(of))[0]?.id ?? '';
  const edited = await client.edit(forked.sessionId, await firstOf(forked.sessionId), 'begin anew');
  await world.atRest(edited.sessionId);
  expect(await client.messages(edited.sessionId)).toMatchObject([{ content: 'begin anew' }, {}, {}, {}]);

  // The same words under another prompt and model.
  const instead = { system: 'You are terse.', model: 'claude-haiku-4-5' };
  const tried = await client.edit(edited.sessionId, await firstOf(edited.sessionId), 'begin anew', {
    instead,
  });
  await world.atRest(tried.sessionId);
  expect(model.asked.at(-1)?.body).toMatchObject({ model: 'claude-haiku-4-5' });
  expect(JSON.stringify(model.asked.at(-1)?.body.system)).toContain('You are terse.');
  expect((await client.session(tried.sessionId)).totals.costUsd).toBeGreaterThan(0);
  await client.addMessage(edited.sessionId, 'add more');
  await world.atRest(edited.sessionId);
  expect(model.asked.at(-1)?.body).toMatchObject({ model: 'claude-sonnet-5-5' });

  revoked = true;
  await client.addMessage(id, 'and now?');
  expect(await world.atRest(id)).toMatchObject({ state: 'error', reason: 'provider_error' });
  revoked = false;
  await client.retry(id);
  expect(await world.atRest(id)).toMatchObject({ state: 'completed' });
  await expect(client.retry(id)).rejects.toThrow('Nothing to retry');

  expect(await client.forks(id)).toMatchObject([{ sessionId: forked.sessionId, title: 'begin' }]);
  const { sessions } = await client.sessions();
  const forkOfs = Object.fromEntries(sessions.map(({ sessionId, forkOf }) => [sessionId, forkOf?.sessionId]));
  expect(forkOfs).toEqual({
    [id]: undefined,
    [forked.sessionId]: id,
    [edited.sessionId]: forked.sessionId,
    [tried.sessionId]: edited.sessionId,
  });
  client.close();
});
