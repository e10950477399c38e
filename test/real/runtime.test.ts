import { createHmac } from 'node:crypto';
import { HttpAgent } from '@ag-ui/client';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Embedded, embedded, local, webhookSecrets } from '../support/embedded.ts';
import { inRealRuntime } from '../support/real/function.ts';
import { here } from '../support/real/here.ts';
import { startReceiver } from '../support/receiver.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';
import { isTerminal, watch } from '../support/watcher.ts';

/** The functions' bundles in AWS's own runtime, behind the gateways and queues of the embedded stack. */

const [emulator, client] = [here('emulator'), here('client')];

describe.skipIf(!emulator || !client)('in AWS’s runtime', () => {
  let model: RuleModel;
  let world: Embedded;
  /** The logical ids of the functions, and of those that have answered. */
  const functions = new Set<string>();
  const invoked = new Set<string>();
  beforeAll(async () => {
    if (!emulator || !client) return;
    model = await ruleModel(({ turn, lastText }) =>
      turn === 0 && lastText === 'look'
        ? callTools(['look', { n: 1 }])
        : sayText('You said: ', lastText, '.'),
    );
    world = await embedded({
      model,
      runtime: (settings, ...more) => {
        functions.add(settings.id);
        return inRealRuntime({ emulator, client })(settings, ...more);
      },
      onInvocation: ({ functionId, kind, outcome }) => {
        if (kind === 'end' && outcome === 'ok') invoked.add(functionId);
      },
    });
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    await model?.[Symbol.asyncDispose]();
  });
  const answered = (prefix: string) => [...invoked].some((id) => id.startsWith(prefix));

  test('http and step run a session with a tool, from the request to its end', async () => {
    const id = await world.start('look');
    expect(await world.atRest(id)).toMatchObject({ state: 'completed' });
    expect(world.toolStarts).toMatchObject([{ name: 'look' }]);
  });

  test('socket shows the run to a client', async () => {
    const id = await world.start('hello');
    using live = watch(world, id);
    await live.seen(isTerminal);
    expect(live.texts('assistant')).toEqual(['You said: hello.']);
    expect(answered('AgentsSocket')).toBe(true);
  });

  test('hooks takes a signed event, and deliver sends its end', async () => {
    await using receiver = await startReceiver(() => 204);
    const data = { object: { id: 'in_1', metadata: { callback: receiver.url } } };
    const payload = JSON.stringify({ id: 'evt_1', type: 'invoice.paid', data });
    const secret = webhookSecrets.STRIPE_WEBHOOK_SECRET;
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret });
    const sent = await world.api('POST', '/hooks/stripe', payload, { 'stripe-signature': signature });
    expect(sent).toMatchObject({ status: 202 });
    const [received] = await receiver.atLeast(1);
    expect(JSON.parse(String(received?.body))).toMatchObject({ type: 'session.ended' });
  });

  test('agui streams a run to the stock client, which verifies each event', async () => {
    const agent = new HttpAgent({
      url: `${world.stack.outputs.AguiUrl}/worker`,
      threadId: crypto.randomUUID(),
      headers: { authorization: `Bearer ${world.token}` },
    });
    agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: 'hello' });
    await agent.runAgent();
    expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'You said: hello.' });
  });

  test('slack answers the challenge of a signed request, and refuses an unsigned one', async () => {
    const url = `${world.stack.outputs.HttpUrl}/slack/events`;
    const body = JSON.stringify({ type: 'url_verification', challenge: 'c1' });
    const at = String(Math.floor(Date.now() / 1000));
    const secrets = new SecretsManagerClient({ ...local, endpoint: world.stack.endpoints.secretsManager });
    const SecretId = world.stack.outputs.SlackSigningSecretArn;
    const { SecretString = '' } = await secrets.send(new GetSecretValueCommand({ SecretId }));
    const signature = `v0=${createHmac('sha256', SecretString).update(`v0:${at}:${body}`).digest('hex')}`;
    const headers = { 'content-type': 'application/json', 'x-slack-request-timestamp': at };
    const signed = { ...headers, 'x-slack-signature': signature };
    const answer = await fetch(url, { method: 'POST', body, headers: signed });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('c1')]);
    expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(401);
  });

  test('console serves its page', async () => {
    const answer = await fetch(`${world.stack.outputs.HttpUrl}/console`);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('<html')]);
  });

  test('sweep sweeps, and consumers of queues answer an empty batch', async () => {
    expect(await world.stack.invoke('AgentsSweep', {})).toBeNull();
    for (const name of [...functions].filter((one) => /Tool|Deliver|SlackJobs|DeadLetter/.test(one)))
      expect(await world.stack.invoke(name, { Records: [] })).toEqual({ batchItemFailures: [] });
  });

  test('every function of the template has answered', () => {
    expect([...invoked].toSorted()).toEqual([...functions].toSorted());
  });
});
