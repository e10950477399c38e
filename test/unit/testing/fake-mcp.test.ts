import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { calls, fakeMcp, rehearse, says } from '../../../testing/index.ts';
import { agentOf } from '../../support/mcp/play.ts';

const asking = (...wanted: Parameters<typeof calls>) => ({
  user: 'Go.',
  model: [calls(...wanted), says('Done.')],
});
const searching = agentOf({ url: 'https://fake.example.com/mcp', effects: { search: 'read', add: 'read' } });

describe('an agent with an MCP server, rehearsed with fakeMcp', () => {
  test('gets what its functions answer: a text, an object as JSON, nothing', async () => {
    const answers: unknown[] = ['a page', { found: 2 }, undefined];
    const run = await rehearse(searching, {
      ...asking(['srv__search', { q: '1' }], ['srv__search', { q: '2' }], ['srv__search', { q: '3' }]),
      internet: fakeMcp({ search: async () => answers.shift() }),
    });
    expect(run.calls.map(({ outcome, content }) => [outcome, content])).toEqual([
      ['ok', 'a page'],
      ['ok', '{"found":2}'],
      ['ok', 'ok'],
    ]);
    expect(run.state).toBe('completed');
  });

  test('declares description and input, and gets no input that its schema refuses', async () => {
    const seen: unknown[] = [];
    const run = await rehearse(searching, {
      ...asking(['srv__add', { a: 2 }], ['srv__add', { a: 'two' }]),
      internet: fakeMcp({
        add: {
          description: 'Adds one.',
          input: z.object({ a: z.number() }),
          run: (input: { a: number }) => {
            seen.push(input);
            return String(input.a + 1);
          },
        },
      }),
    });
    const [declared] = run.requests[0]?.tools ?? [];
    expect(declared).toMatchObject({ name: 'srv__add' });
    expect(JSON.stringify(declared)).toContain('Adds one.');
    expect(seen).toEqual([{ a: 2 }]);
    expect(run.calls.map(({ outcome }) => outcome)).toEqual(['ok', 'error']);
  });

  test('shows the model an error that a function throws', async () => {
    const run = await rehearse(searching, {
      ...asking(['srv__search', {}]),
      internet: fakeMcp({
        search: () => {
          throw new Error('the index is closed');
        },
      }),
    });
    expect(run.calls).toMatchObject([
      { outcome: 'error', content: expect.stringContaining('the index is closed') },
    ]);
  });

  test('answers nothing but MCP', async () => {
    const server = fakeMcp({ search: () => 'x' });
    const url = 'https://fake.example.com/mcp';
    expect((await server(new Request(url))).status).toBe(405);
    expect((await server(new Request(url, { method: 'POST', body: 'hello' }))).status).toBe(400);
    const unknown = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'constructor' } };
    const answer = await server(new Request(url, { method: 'POST', body: JSON.stringify(unknown) }));
    expect(await answer.json()).toMatchObject({ error: { message: expect.stringContaining('constructor') } });
  });
});
