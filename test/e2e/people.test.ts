import { expect, test } from 'vitest';
import { env } from '../../shared/contract/env.ts';
import { type HttpClient, httpClient } from '../../web/client/index.ts';
import { embedded } from '../support/embedded.ts';
import { startOidcIssuer } from '../support/oidc-issuer.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';
import { holding } from '../support/stored.ts';

const adasWords = 'PLANTED-BY-ADA';
const bobsWords = 'PLANTED-BY-BOB';

test('DELETE /people deletes all that a person has left, while a run of theirs waits, and nothing of another person', {
  timeout: 240_000,
}, async () => {
  await using idp = await startOidcIssuer();
  await using model = await ruleModel(({ turn, lastText }) => {
    const { fact } = /^remember (?<fact>.*)/.exec(lastText)?.groups ?? {};
    if (turn === 0 && fact) return callTools(['save_memory', { scope: 'user', fact }]);
    if (turn === 0 && /^share (.*)/.test(lastText))
      return callTools(['save_memory', { scope: 'tenant', fact: lastText.slice(6) }]);
    return turn === 0 && lastText.startsWith('look')
      ? callTools(['look', { n: 1 }])
      : sayText(`You said: ${lastText}`);
  });
  let hold: Promise<void> = Promise.resolve();
  let letGo = () => {};
  await using world = await embedded({
    model,
    tools: async () => {
      await hold;
      // Long enough to be kept outside of the item.
      return `${adasWords} `.repeat(40_000);
    },
    variables: { [env.OIDC_ISSUER]: idp.issuer, [env.OIDC_AUDIENCE]: idp.audience },
  });
  const as = async (sub: string, roles: string[] = []): Promise<HttpClient> =>
    httpClient({
      httpUrl: world.stack.outputs.HttpUrl ?? '',
      token: await idp.token({ tenant: 'acme', sub, roles }),
    });
  const [ada, bob, admin] = [await as('ada'), await as('bob'), await as('root', ['steploop-admin'])];
  const ended = (client: HttpClient, id: string) =>
    expect.poll(async () => (await client.session(id)).state, { timeout: 30_000 }).toBe('completed');

  /** A person's traces of each kind. */
  const live = async (client: HttpClient, words: string) => {
    const file = new File([`${words} in a file`], `${words}.txt`, { type: 'text/plain' });
    const upload = await client.upload(file);
    await client.upload(new File([`${words} unused`], `unused-${words}.txt`, { type: 'text/plain' }));
    const talk = await client.createSession({
      agent: 'worker',
      message: [
        { type: 'document', upload },
        { type: 'text', text: words },
      ] as never,
      title: words,
      metadata: { note: words },
    });
    await ended(client, talk.sessionId);
    for (const say of [`remember ${words}`, `share ${words}`]) {
      const { sessionId } = await client.createSession({ agent: 'rememberer', message: say });
      await ended(client, sessionId);
    }
    return talk.sessionId;
  };
  const hers = await live(ada, adasWords);
  const his = await live(bob, bobsWords);
  const looked = await ada.createSession({ agent: 'worker', message: `look ${adasWords}` });
  await ended(ada, looked.sessionId);
  // An administrator forks her session, and writes in another one.
  const fork = await admin.fork(hers, {});
  await admin.addMessage(hers, 'And what then?');
  await ended(admin, hers);
  // And a run of hers is in the middle of a tool.
  hold = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const running = await ada.createSession({ agent: 'worker', message: `look again ${adasWords}` });
  await expect.poll(() => world.toolStarts.length).toBe(2);

  const planted = await holding(world, adasWords);
  expect(planted.filter((name) => name.includes('#memory#'))).toHaveLength(2);
  expect(planted.filter((name) => name.startsWith('_uploads/'))).not.toEqual([]);
  const kept = await holding(world, bobsWords);
  expect(kept.length).toBeGreaterThan(5);

  await expect(bob.erasePerson('user:ada')).rejects.toMatchObject({ problem: { status: 403 } });
  expect(await admin.erasePerson('user:ada')).toMatchObject({ state: 'erasing' });
  const sweep = () => world.stack.invoke('AgentsSweeperSweep', {});
  await sweep();
  expect(await admin.erasure('user:ada')).toMatchObject({ state: 'erasing' });
  letGo();
  await expect
    .poll(
      async () => {
        await sweep();
        return (await admin.erasure('user:ada')).state;
      },
      { timeout: 120_000, interval: 1_000 },
    )
    .toBe('erased');

  expect(await holding(world, adasWords)).toEqual([]);
  for (const { sessionId } of [{ sessionId: hers }, fork, looked, running])
    await expect(admin.session(sessionId)).rejects.toMatchObject({ problem: { status: 404 } });
  expect(await holding(world, bobsWords)).toEqual(kept);
  expect(await bob.messages(his)).not.toEqual([]);
  expect(await admin.erasure('user:ada')).toMatchObject({ sessions: { left: 0, erased: 6 }, memories: 2 });
});
