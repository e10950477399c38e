import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IDEMPOTENCY_META_KEY } from '../../shared/doors/mcp/ask.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

let model: RuleModel;
let world: Embedded;
beforeAll(async () => {
  model = await ruleModel(({ messages, turn }) =>
    /send/i.test(JSON.stringify(messages[0])) && turn === 0
      ? callTools(['transfer', { n: 7 }])
      : sayText('It is done.'),
  );
  world = await embedded({ model });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const address = () => `${world.stack.outputs.HttpUrl}/mcp`;

/** A client of this SDK, which negotiates the version of its mode. */
async function connected(
  versionNegotiation: { mode: 'auto' | 'legacy' } = { mode: 'auto' },
  shows = false,
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '0' },
    { versionNegotiation, capabilities: shows ? { elicitation: { form: {} } } : {} },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(address()), {
      requestInit: { headers: { authorization: `Bearer ${world.token}` } },
    }),
  );
  return client;
}

describe.each(['auto', 'legacy'] as const)('a client of MCP over HTTP (%s)', (mode) => {
  test('lists the agents as tools, and a call answers what its agent has come to', async () => {
    const client = await connected({ mode });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('ask_worker');
    const said = await client.callTool({ name: 'ask_worker', arguments: { message: 'Go.' } });
    expect(said.structuredContent).toMatchObject({ state: 'completed', answer: 'It is done.' });
    await client.close();
  });
});
