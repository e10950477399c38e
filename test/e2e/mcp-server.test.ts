import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { embedded } from '../support/embedded.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

test('an MCP client starts steploop mcp as a server: an agent reports progress, a person approves in a form, a cancelled call stops its run', async () => {
  const begun = Promise.withResolvers<void>();
  await using model = await ruleModel(({ n }) => {
    if (n === 1) return callTools(['transfer', { n: 7 }]);
    if (n === 3) return callTools(['look', { n: 8 }]);
    return sayText('It is done.');
  });
  await using world = await embedded({
    model,
    tools: ({ name }) => {
      if (name !== 'look') return { ok: true };
      begun.resolve();
      return new Promise(() => undefined);
    },
  });
  const client = new Client(
    { name: 'test', version: '0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
  );
  const shown: string[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    shown.push(params.message);
    return { action: 'accept', content: { decision: 'approve' } };
  });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ['--conditions=@steploop/source', main, 'mcp', 'worker'],
      env: { STEPLOOP_URL: world.stack.outputs.HttpUrl ?? '', STEPLOOP_TOKEN: world.token },
      stderr: 'ignore',
    }),
  );
  try {
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['ask_worker']);
    const ask = { name: 'ask_worker', arguments: { message: 'Send it.' } };
    const told: unknown[] = [];
    const sent = await client.callTool(ask, {
      ...{ timeout: 120_000, onprogress: ({ message }) => void told.push(message) },
    });
    expect(shown).toEqual([expect.stringContaining('n: 7')]);
    expect(told).toContain('calls transfer');
    expect(sent.structuredContent).toMatchObject({ state: 'completed', answer: 'It is done.' });
    expect(world.toolStarts).toMatchObject([{ name: 'transfer', input: { n: 7 } }]);

    const { session } = sent.structuredContent as { session: string };
    const stop = new AbortController();
    const going = client.callTool(
      { name: 'ask_worker', arguments: { message: 'Look.', session } },
      { timeout: 120_000, signal: stop.signal },
    );
    await begun.promise;
    stop.abort('enough');
    await expect(going).rejects.toThrow();
    expect(await world.atRest(session)).toMatchObject({ state: 'cancelled' });

    const unknown = await client.callTool({
      name: 'ask_worker',
      arguments: { message: 'Hi.', session: 'nobody' },
    });
    expect(unknown).toMatchObject({ isError: true });
    expect(JSON.stringify(unknown.content)).toContain('No such session');
  } finally {
    await client.close();
  }
});
