import { expect, test } from 'vitest';
import { env } from '../../shared/contract/env.ts';
import { embedded } from '../support/embedded.ts';
import { everything } from '../support/mcp/everything.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';

test('an agent has the tools of an MCP server: one runs, one is approved and asks a person in the middle, and another worker continues the server’s session', async () => {
  await using server = await everything();
  await using model = await ruleModel(({ turn }) => {
    if (turn === 0) return callTools(['all__echo', { message: 'hello' }]);
    if (turn === 1) return callTools(['all__trigger-elicitation-request', {}]);
    return sayText('Done.');
  });
  await using world = await embedded({
    model,
    variables: { [env.SETTINGS]: JSON.stringify({ MCP_URL: server.url }) },
  });
  const { body } = await world.api('POST', '/sessions', { agent: 'guest', message: 'Go.' });
  const waiting = async () => {
    const session = await world.atRest(body.sessionId, 90);
    expect(session).toMatchObject({ state: 'waiting_for_input', waits: [expect.anything()] });
    return (session as unknown as { waits: { id: string; kind: string; message: string }[] }).waits[0];
  };
  const decide = (id: string | undefined, more: object) =>
    world.api('POST', `/sessions/${body.sessionId}/decisions`, { id, ...more });

  // The server is not trusted, so its call needs approval.
  const approval = await waiting();
  expect(approval).toMatchObject({
    kind: 'approval',
    message: expect.stringContaining('all__trigger-elicitation-request'),
  });
  expect((await decide(approval?.id, { approved: true })).status).toBe(202);

  await expect.poll(async () => (await waiting())?.kind, { timeout: 60_000 }).toBe('question');
  const question = await waiting();
  expect(question?.message).toContain('> Please provide inputs for the following fields:');
  // The worker that continues has no warm caches.
  world.stack.kill('AgentsStepsStep');
  expect((await decide(question?.id, { approved: true, note: 'name: Ann\ninteger: 7' })).status).toBe(202);

  await world.becomes(body.sessionId, 'completed');
  const results = (await world.messages(body.sessionId)).flatMap((message) =>
    message.role === 'tool' ? [message.content] : [],
  );
  expect(results).toEqual(['Echo: hello', expect.stringContaining('- Name: Ann')]);
  expect(results[1]).toContain('- Favorite Integer: 7');
}, 240_000);
