import { expect, test } from 'vitest';
import type { Internet } from '../../../shared/memory/egress.ts';
import { mcpDouble, tool } from '../../support/mcp/double.ts';
import { contents, directly, play } from '../../support/mcp/play.ts';

/** A server of the HTTP+SSE transport of 2024-11-05: a stream of answers, whose first event names the URL to post to. */
function olderServer(refusal = 405) {
  const inner = mcpDouble({ sessions: false, tools: [tool('look')] });
  const streams = new Map<string, ReadableStreamDefaultController<Uint8Array>>();
  const write = (id: string, event: string, data: string) =>
    streams.get(id)?.enqueue(new TextEncoder().encode(`event: ${event}\ndata: ${data}\n\n`));
  let count = 0;
  const internet: Internet = async (request) => {
    const { searchParams } = new URL(request.url);
    const id = searchParams.get('session');
    if (request.method === 'GET') {
      const own = String(++count);
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          streams.set(own, controller);
          write(own, 'endpoint', `/messages?session=${own}`);
        },
        cancel: () => void streams.delete(own),
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    }
    if (!id) return new Response('Cannot POST', { status: refusal });
    const answer = await inner.internet(request);
    if (answer.status === 200) write(id, 'message', await answer.text());
    return new Response('Accepted', { status: 202 });
  };
  return { internet, inner, opened: () => count, open: () => streams.size };
}

test.each([400, 404, 405])(
  'a server that answers a POST with %i and supports HTTP+SSE is used over that',
  async (status) => {
    const server = olderServer(status);
    const run = await play(server.internet, [[['look', { n: 2 }]], [['look']]]);
    expect(contents(run)).toEqual(['look was called', 'look was called']);
    expect(server.inner.heard.find(({ method }) => method === 'tools/call')?.params).toMatchObject({
      name: 'look',
      arguments: { n: 2 },
    });
    // One for the list and one for each call, and none of them stays open.
    expect([server.opened(), server.open()]).toEqual([3, 0]);
  },
);

test('an address that supports neither ends the run at once, and says so', async () => {
  let requests = 0;
  const { list } = directly(async () => {
    requests += 1;
    return new Response('Not Found', { status: 404 });
  });
  expect(await list()).toEqual({
    kind: 'wrong',
    why: 'the MCP server srv takes no messages at this address (HTTP 404), neither over streamable HTTP nor over the older HTTP+SSE: is its URL right?',
  });
  expect(requests).toBeLessThan(6);
});

test('a 401 without a configured credential ends the run at once; a refused credential is retried, since it may have been renewed', async () => {
  const refusing: Internet = async () => new Response(null, { status: 401 });
  expect(await directly(refusing).list()).toMatchObject({
    kind: 'wrong',
    why: expect.stringContaining('HTTP 401'),
  });
});
