import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, inject, test } from 'vitest';
import { env } from '../../shared/contract/env.ts';
import { whatRemains } from '../../shared/contract/tenant-keys.ts';
import { type HttpClient, httpClient } from '../../web/client/index.ts';
import { type Embedded, local } from '../support/embedded.ts';
import { mailWorld } from '../support/mail.ts';
import { startOidcIssuer } from '../support/oidc-issuer.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';
import { holding, storedIn } from '../support/stored.ts';

const acmesWords = 'PLANTED-BY-ACME';
const globexWords = 'PLANTED-BY-GLOBEX';

/** Items of a tenant's sessions besides tombstones, by name. */
const leftOf = async (world: Embedded, tenant: string): Promise<string[]> =>
  (await storedIn(world))
    .filter(({ name, text }) => name.startsWith(`${tenant}#s`) && !/"(buriedAt|order)":/.test(text))
    .map(({ name }) => name);

async function tablesOf(world: Embedded): Promise<string[]> {
  const client = new DynamoDBClient({ ...local, endpoint: world.stack.endpoints.dynamodb });
  const { TableNames = [] } = await client.send(new ListTablesCommand({}));
  client.destroy();
  return TableNames;
}

test('with keys of tenants no words are readable in what is stored; without its key a tenant is gone, and another untouched', {
  timeout: 300_000,
}, async () => {
  await using idp = await startOidcIssuer();
  await using model = await ruleModel(({ turn, lastText }) => {
    const { fact } = /^remember (?<fact>.*)/.exec(lastText)?.groups ?? {};
    if (turn === 0 && fact) return callTools(['save_memory', { scope: 'user', fact }]);
    return turn === 0 && lastText.startsWith('look')
      ? callTools(['look', { n: 1 }])
      : sayText(`You said: ${lastText}`);
  });
  let hold: Promise<void> = Promise.resolve();
  let letGo = () => {};
  const lines: string[] = [];
  await using mails = await mailWorld({
    model,
    assembly: inject('assemblies').tenantKeys,
    tools: async () => {
      await hold;
      // Long enough to be kept outside of the item.
      return `${acmesWords} `.repeat(40_000);
    },
    variables: { [env.OIDC_ISSUER]: idp.issuer, [env.OIDC_AUDIENCE]: idp.audience },
    log: (line) => lines.push(line),
  });
  const { world } = mails;
  const as = async (tenant: string, sub: string, roles: string[] = []): Promise<HttpClient> =>
    httpClient({
      httpUrl: world.stack.outputs.HttpUrl ?? '',
      token: await idp.token({ tenant, sub, roles }),
    });
  const [ada, admin] = [await as('acme', 'ada'), await as('acme', 'root', ['steploop-admin'])];
  const bob = await as('globex', 'bob');
  const ended = (client: HttpClient, id: string) =>
    expect.poll(async () => (await client.session(id)).state, { timeout: 60_000 }).toBe('completed');

  /** Traces of each kind. */
  const live = async (client: HttpClient, words: string) => {
    const upload = await client.upload(
      new File([`${words} in a file`], `${words}.txt`, { type: 'text/plain' }),
    );
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
    const { sessionId } = await client.createSession({ agent: 'rememberer', message: `remember ${words}` });
    await ended(client, sessionId);
    await client.createSchedule({
      ...{ name: words, agent: 'worker', when: { every: '1d' }, message: words },
    } as never);
    return talk.sessionId;
  };
  const hers = await live(ada, acmesWords);
  const his = await live(bob, globexWords);
  const looked = await ada.createSession({ agent: 'worker', message: `look ${acmesWords}` });
  await ended(ada, looked.sessionId);

  // A mail is taken into a session, and a dropped one is not; neither stays as SES has stored it.
  const mail = { text: `Hello ${acmesWords}`, headers: { 'X-Words': acmesWords } };
  await mails.write(mail, { virus: 'FAIL' });
  await mails.write(mail);
  expect((await mails.nth(1)).text).toContain(acmesWords);

  // While the key lives, its tenant reads all of it, and no other reader of the services does.
  expect(JSON.stringify(await ada.messages(hers))).toContain(acmesWords);
  expect(JSON.stringify(await ada.messages(looked.sessionId))).toContain(acmesWords);
  expect(await ada.session(hers)).toMatchObject({ state: 'completed' });
  const uploads = (names: string[]) => names.filter((name) => !name.startsWith('_uploads/'));
  await expect.poll(async () => uploads(await holding(world, acmesWords))).toEqual([]);
  expect(uploads(await holding(world, globexWords))).toEqual([]);
  expect(await admin.tenantKey('acme')).toMatchObject({ state: 'live' });
  const names = await tablesOf(world);
  expect(names).toHaveLength(2);

  // A link leads to a copy that a browser can read.
  const [message] = await ada.messages(hers);
  const hash = /"hash":"([0-9a-f]{64})"/.exec(JSON.stringify(message))?.[1] ?? '';
  const { url } = (await ada.attachment(hers, hash)) as { url: string };
  expect(await (await fetch(url)).text()).toBe(`${acmesWords} in a file`);

  // A run is in the middle of a tool when the key is deleted.
  hold = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const running = await ada.createSession({ agent: 'worker', message: `look again ${acmesWords}` });
  await expect.poll(() => world.toolStarts.length, { timeout: 30_000 }).toBe(2);

  await expect(ada.deleteTenantKey('acme', 'acme')).rejects.toMatchObject({ problem: { status: 403 } });
  await expect(admin.deleteTenantKey('acme', 'globex')).rejects.toMatchObject({ problem: { status: 400 } });
  await expect(admin.deleteTenantKey('globex', 'globex')).rejects.toMatchObject({ problem: { status: 404 } });
  expect(await admin.deleteTenantKey('acme', 'acme')).toMatchObject({
    ...{ tenant: 'acme', state: 'deleted', deletedBy: 'user:root', remains: whatRemains },
  });
  expect(lines.some((line) => /the key of a tenant was deleted/.test(line) && /user:root/.test(line))).toBe(
    true,
  );

  // Environments forget a key within minutes; new ones never knew it. A killed run's message comes back.
  world.stack.kill('Agents');
  letGo();
  // A message of a queue is acknowledged, and not tried again. The sweeper may have removed its session by then.
  const sqs = new SQSClient({ ...local, endpoint: world.stack.endpoints.sqs });
  const wake = JSON.stringify({ tenant: 'acme', sessionId: hers });
  await sqs.send(new SendMessageCommand({ QueueUrl: world.stack.outputs.StepQueueUrl, MessageBody: wake }));
  sqs.destroy();
  const told = (words: string) => lines.filter((line) => line.includes(words));
  const isSettled = async () =>
    told('a message of a tenant whose key was deleted was dropped').length > 0 ||
    (await leftOf(world, 'acme')).length === 0;
  await expect.poll(isSettled, { timeout: 90_000 }).toBe(true);

  const gone = { problem: { status: 410, title: 'Key deleted' } };
  await expect(ada.session(hers)).rejects.toMatchObject(gone);
  await expect(ada.messages(hers)).rejects.toMatchObject(gone);
  await expect(ada.sessions()).rejects.toMatchObject(gone);
  await expect(ada.addMessage(hers, 'And now?')).rejects.toMatchObject(gone);
  await expect(ada.createSession({ agent: 'worker', message: 'Hello?' })).rejects.toMatchObject(gone);
  await expect(admin.session(running.sessionId)).rejects.toMatchObject(gone);
  expect(await admin.tenantKey('acme')).toMatchObject({ state: 'deleted' });

  // The sweeper removes it unread.
  await expect
    .poll(
      async () => {
        await world.stack.invoke('AgentsSweeperSweep', {});
        return leftOf(world, 'acme');
      },
      { timeout: 120_000, interval: 1_000 },
    )
    .toEqual([]);
  expect(await holding(world, acmesWords)).toEqual([]);
  expect((await fetch(url)).status).toBe(404);
  expect([...told('a message failed'), ...told('a schedule failed'), ...told('a route failed')]).toEqual([]);

  // Another tenant is untouched.
  expect(JSON.stringify(await bob.messages(his))).toContain(globexWords);
  await bob.addMessage(his, `Still ${globexWords}?`);
  await ended(bob, his);
  expect(JSON.stringify(await bob.messages(his))).toContain('Still');
});
