import { HttpAgent } from '@ag-ui/client';
import { expect, test } from 'vitest';
import { connect } from '../../web/client/index.ts';
import { embedded } from '../support/embedded.ts';
import { startReceiver } from '../support/receiver.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';

test('a run’s answer object reaches the client, AG-UI, a callback and later readers', async () => {
  await using model = await ruleModel(({ turn }) => {
    if (turn === 0) return callTools(['look', { n: 1 }]);
    return turn === 1 ? sayText('It is bad.') : sayText('```json\n{"severity"', ':"high"}\n```');
  });
  await using world = await embedded({ model });
  await using receiver = await startReceiver(() => 204);
  const object = { severity: 'high', labels: [] };

  const { HttpUrl: httpUrl = '', SocketUrl: socketUrl = '', AguiUrl } = world.stack.outputs;
  const client = connect({ httpUrl, socketUrl, token: world.token });
  const shown: string[] = [];
  const run = await client.run<typeof object>(
    { agent: 'reporter', message: 'It crashes.', callbackUrl: receiver.url },
    { onEvent: (event) => void (event.type === 'CUSTOM' && shown.push(event.name)) },
  );
  client.close();
  expect(run).toMatchObject({ reason: 'completed', steps: 3, object });
  // The guard sent the second reply back.
  expect(shown).toContain('steploop.guard');
  expect(await client.session(run.sessionId)).toMatchObject({ lastEnding: { object } });
  const [told] = await receiver.atLeast(1);
  expect(JSON.parse(told?.body ?? '')).toMatchObject({ type: 'session.ended', data: { result: { object } } });
  expect(model.asked[0]?.body).toMatchObject({
    output_config: { format: { type: 'json_schema', schema: { required: ['severity'] } } },
    tools: [{ name: 'look' }],
  });

  const url = `${AguiUrl}/reporter`;
  const agent = new HttpAgent({ url, headers: { authorization: `Bearer ${world.token}` } });
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: 'It crashes.' });
  expect((await agent.runAgent()).result).toMatchObject({ object });
});
