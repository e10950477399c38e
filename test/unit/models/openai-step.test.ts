import { type ChatCompletionRequest, LLMock, type ToolCall } from '@copilotkit/aimock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { accept, openSession } from '../../../shared/agent/entrypoints/accept.ts';
import { catchUp } from '../../../shared/agent/events/catch-up.ts';
import { runStep } from '../../../shared/agent/step/run-step.ts';
import { ids } from '../../../shared/aws/ports.ts';
import { memoryPorts } from '../../../shared/memory/ports.ts';
import { modelProvider } from '../../../shared/models/models.ts';
import { wallClock } from '../../../shared/wall-clock.ts';
import { KEY } from '../../support/model-call.ts';
import { reply, status } from '../../support/model-server.ts';
import { calls, completion, says } from '../../support/openai-events.ts';
import { servedWorld } from '../../support/served-world.ts';
import { clientView, verifyOrder } from '../step/client-view.fixture.ts';
import { custom, ending, notedTool, tool } from '../step/reading.fixture.ts';

/** The whole step, on in-memory ports, against aimock's endpoints: as deployed except for the table and the queue. */
let mock: LLMock;
let url: string;
const seen: ChatCompletionRequest[] = [];
beforeEach(async () => {
  mock = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 4, logLevel: 'silent' });
  url = await mock.start();
  seen.length = 0;
});
afterEach(() => mock.stop());

type Model = Parameters<typeof defineAgent>[0]['model'];

/** Runs one conversation to its end, with the server of the Messages API as `primary`, and of OpenAI's as `secondary`. */
async function converse(model: Model) {
  const look = notedTool('look', 'once', () => 'half past nine');
  const agent = defineAgent({
    name: 'clock',
    version: '1',
    model,
    system: 'You are a clock.',
    tools: [look.tool],
  });
  const server = { auth: 'bearer' as const, key: async () => KEY, idleMs: 5_000 };
  const provider = modelProvider({
    primary: { ...server, baseUrl: url },
    secondary: { ...server, baseUrl: `${url}/v1` },
  });
  const io = memoryPorts({ clock: wallClock, ids, provider });
  const key = { tenant: 'acme', sessionId: 's1' };
  await openSession(key, agent, async () => undefined, io);
  await accept(key, { eventId: 'e1', text: 'What time is it?' }, io);

  for (let delivery = io.queue.receive(); delivery; delivery = io.queue.receive()) {
    const invocation = { id: ids.next(), message: delivery.handle, deadlineAt: wallClock.now() + 300_000 };
    const options = { agentOf: () => agent, leaseMs: 60_000 };
    expect(await runStep(delivery.wake, invocation, options, io)).toBe('ack');
    io.queue.delete(delivery.handle);
  }
  const events = ((await catchUp(key, 0, 100_000, io)) ?? []).map(({ event }) => event);
  await verifyOrder(events);
  return { events, ran: look.keys.length, view: clientView(events), end: ending(events) };
}

const usage = { prompt_tokens: 80, completion_tokens: 20, total_tokens: 100 };

/** Asks for the tool with `ask`, and then answers with its result as the conversation has it. */
function answerAfter(ask: { content: string; toolCalls?: ToolCall[] }): void {
  mock.on({ predicate: () => true }, (request) => {
    seen.push(request);
    const last = request.messages.at(-1)?.content;
    return seen.length === 1 ? { ...ask, usage } : { content: `It is so: ${last}`, usage };
  });
}

describe('a step on an OpenAI-compatible server', () => {
  const own = { name: 'gpt-test-1', server: 'secondary' as const, price: { input: 1, output: 2 } };

  test('calls a tool, sends its result back, and answers', async () => {
    answerAfter({ content: 'Let me look.', toolCalls: [{ name: 'look', arguments: '{"city":"Lisbon"}' }] });
    const { events, ran, view, end } = await converse({ provider: 'openai', ...own });
    expect(end).toEqual({ state: 'completed', reason: 'completed', steps: 2 });
    expect(ran).toBe(1);
    expect(view.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(view.at(-1)).toMatchObject({ content: 'It is so: half past nine' });
    expect(custom(events, 'steploop.usage')).toMatchObject([
      { usage: { input: 80, output: 20 }, costUsd: 120 / 1e6 },
      { totals: { costUsd: 240 / 1e6 } },
    ]);
    // The second request repeats the first, byte for byte.
    const first = JSON.stringify(seen[0]?.messages).slice(0, -1);
    expect(JSON.stringify(seen[1]?.messages).startsWith(first)).toBe(true);
  });

  test('H12: and one with calls as text', async () => {
    answerAfter({
      content: 'Let me look. <tool_call>{"name":"look","arguments":{"city":"Lisbon"}}</tool_call>',
    });
    const { ran, view, end } = await converse({ provider: 'openai-xml', ...own });
    expect(end).toEqual({ state: 'completed', reason: 'completed', steps: 2 });
    expect(ran).toBe(1);
    expect(view.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(view[1]).toMatchObject({ content: 'Let me look.' });
    expect(seen[1]?.messages.at(-1)).toEqual({
      role: 'user',
      content: '<tool_result name="look">\nhalf past nine\n</tool_result>',
    });
  });

  test('T14: takes over from the Messages API when its account is refused, and reads the conversation so far', async () => {
    mock.on({ predicate: () => true }, (request) => {
      seen.push(request);
      const asked = request.model === 'claude-test-1';
      if (asked && seen.length === 1) {
        return {
          content: 'Let me look.',
          reasoning: 'Hm.',
          toolCalls: [{ name: 'look', arguments: {} }],
          usage,
        };
      }
      if (asked) return { error: { message: 'no money', type: 'billing_error' }, status: 402 };
      return { content: 'Half past nine.', usage };
    });
    const { events, view, end } = await converse({
      name: 'claude-test-1',
      fallbacks: [{ provider: 'openai', server: 'secondary', name: 'gpt-test-1' }],
    });
    expect(end).toMatchObject({ state: 'completed', steps: 2 });
    expect(custom(events, 'steploop.provider_switch')).toMatchObject([
      { from: { model: 'claude-test-1' }, to: { model: 'gpt-test-1' }, why: expect.stringContaining('402') },
    ]);
    expect(view.at(-1)).toMatchObject({ content: 'Half past nine.' });
    expect(seen.map(({ model }) => model)).toEqual(['claude-test-1', 'claude-test-1', 'gpt-test-1']);
    expect(seen[2]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(JSON.stringify(seen[2])).not.toContain('Hm.');
  });
});

test('a call that its server could not read is answered with the right form, and the run goes on (pydantic/pydantic-ai#4354)', async () => {
  const failed = {
    message:
      "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
    type: 'invalid_request_error',
    code: 'tool_use_failed',
    failed_generation: '<function=look{}</function>',
  };
  const model = { provider: 'openai', name: 'gpt-test-1' } as const;
  await using served = await servedWorld({ model, tools: [tool('look')] }, [
    reply(completion(calls(0, 'call_1', 'look', '{}'), 'tool_calls')),
    status(400, {}, { error: failed }),
    reply(completion(says('Nine.'))),
  ]);
  const events = await served.hear('What time is it?');
  expect(ending(events)).toMatchObject({ state: 'completed' });
  // Nothing of the conversation is to blame.
  expect(events.map((event) => 'name' in event && event.name)).not.toContain('steploop.omitted');
  const [, second, third] = served.server.requests.map(({ body }) => body.messages as object[]);
  expect(third?.slice(0, second?.length)).toEqual(second);
  expect(JSON.stringify(third)).toContain('<function=look{}</function>');
});
