/** A channel of a definition's own: a signed delivery comes in, and its functions say progress, asks and answers. */

import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Embedded, embedded, type ToolStart, webhookSecrets } from '../support/embedded.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

let model: RuleModel;
let world: Embedded;
let down = 0;
beforeAll(async () => {
  model = await ruleModel(({ lastText, turn }) =>
    lastText.includes('pay') && turn === 0 ? callTools(['transfer', { n: 7 }]) : sayText('Here.'),
  );
  world = await embedded({
    model,
    tools: ({ name }) => (name === 'pager-answer' && down-- > 0 ? undefined : { ok: true }),
  });
}, 120_000);
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

const [secret = ''] = webhookSecrets.STANDARD_WEBHOOK_SECRET.split(' ');
let deliveries = 0;
async function deliver(payload: object, id = `pager_${++deliveries}`, key = secret) {
  const at = new Date();
  const body = JSON.stringify(payload);
  return world.api('POST', '/channels/pager', body, {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(key).sign(id, at, body),
  });
}

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of it
const said = async (name: string, n: number): Promise<any> => {
  for (const end = Date.now() + 30_000; Date.now() < end; await new Promise((on) => setTimeout(on, 100))) {
    const found = world.toolStarts.filter((start: ToolStart) => start.name === name)[n - 1];
    if (found) return found.input;
  }
  throw new Error(`${name} was not said ${n} times`);
};

test('a delivery begins a session; its answer comes back, with the place of the thread', async () => {
  const first = await deliver({ from: '+49', thread: 't1', text: 'Where?' });
  expect(first).toMatchObject({ status: 202, body: { duplicate: false } });
  const thread = { thread: 't1', from: '+49', place: { number: '+49' }, sessionId: first.body.sessionId };
  expect(await said('pager-answer', 1)).toMatchObject({ text: 'Here.', state: 'completed', thread });
  expect(await deliver({ from: '+49', thread: 't1', text: 'Where?' }, 'pager_1')).toMatchObject({
    status: 200,
    body: { duplicate: true },
  });
  const again = await deliver({ from: '+49', thread: 't1', text: 'And now?' });
  expect(again.body.sessionId).toBe(first.body.sessionId);
  await said('pager-answer', 2);
  expect(await world.session(first.body.sessionId)).toMatchObject({ state: 'completed' });
});

test('an unsigned delivery is refused, one without a message is ignored, and another channel does not exist', async () => {
  const forged = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
  expect(await deliver({ from: 'x', thread: 't', text: 'x' }, 'pager_f', forged)).toMatchObject({
    status: 401,
  });
  expect(await deliver({ from: 'x', thread: 't' })).toMatchObject({ status: 200, body: { ignored: '' } });
  expect(await world.api('POST', '/channels/__proto__', '{}')).toMatchObject({ status: 404 });
});

test('an approval comes with a link that decides it, in the name of the person', async () => {
  const { body } = await deliver({ from: '+50', thread: 't2', text: 'Please pay.' });
  const { link, reason } = await said('pager-ask', 1);
  expect(reason).toBe('approval');
  const sent = await fetch(link, { method: 'POST', body: new URLSearchParams({ decision: 'approve' }) });
  expect(sent.status).toBe(200);
  await said('pager-answer', 3);
  const { body: session } = await world.api('GET', `/sessions/${body.sessionId}/steps`);
  expect(JSON.stringify(session)).toContain('channel:pager:+50');
});

test('an answer that the channel did not take is said again', async () => {
  down = 1;
  await deliver({ from: '+51', thread: 't3', text: 'Once more?' });
  expect(await said('pager-answer', 5)).toMatchObject({ id: (await said('pager-answer', 4)).id });
});

test('a text that is too long for a message is cut, and says so', async () => {
  const { body } = await deliver({ from: '+52', thread: 't4', text: 'x'.repeat(120_000) });
  await said('pager-answer', 6);
  expect(JSON.stringify(await world.messages(body.sessionId))).toContain(
    '[cut: the whole has 120000 characters]',
  );
});
