import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { sweep } from '../../../shared/agent/entrypoints/sweep.ts';
import { calls, type ScriptedModel, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type PageWorld, type Part, pageWorld, person } from './page-world.fixture.ts';

const paint = {
  name: 'paint',
  description: 'Paints the page.',
  parameters: { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] },
};
const user = (content = 'Paint it', id = 'm1') => ({ id, role: 'user', content });
const asked = (more: object = {}) => ({ messages: [user()], tools: [paint], ...more });

async function waiting(...script: Parameters<typeof scriptedModel>) {
  const model = scriptedModel(calls(['paint', { color: 'red' }]), ...script);
  const it = await pageWorld({}, model);
  const events = await it.agui('/agui', asked());
  const callId = String(events.find(({ type }) => type === 'TOOL_CALL_START')?.toolCallId);
  return { it, model, events, callId };
}
/** The next request of AG-UI's client: the whole conversation, and the page's result at its end. */
const answer = (callId: string, content: unknown, more: object = {}) => ({
  messages: [
    user(),
    { id: 'a1', role: 'assistant', toolCalls: [] },
    { id: 't1', role: 'tool', toolCallId: callId, content, ...more },
  ],
  tools: [paint],
});
const resultIn = async (it: PageWorld) =>
  (await it.slots()).flatMap((slot) => (slot.kind === 'tools' ? slot.results : [])).at(-1);
const toolsAsked = ({ requests }: ScriptedModel) =>
  requests.map(({ tools }) => tools.map(({ name }) => name));

describe('a tool of a page', () => {
  test('is offered to the model; its call ends the AG-UI run without a result and without an interrupt', async () => {
    const { it, model, events } = await waiting();
    expect(toolsAsked(model)).toEqual([['paint']]);
    expect(events.filter(({ type }) => type === 'TOOL_CALL_RESULT')).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED' });
    expect(events.at(-1)).not.toHaveProperty('outcome');
    const { session, dueAt } = await it.view();
    expect([session.state, session.reason, dueAt]).toEqual([
      'waiting_for_tool',
      'awaiting_callback',
      undefined,
    ]);
    expect(session.batch?.waits).toMatchObject([{ kind: 'page', tool: 'paint' }]);
  });

  test('is answered by a tool message of the next request, once, and the run goes on', async () => {
    const { it, model, callId } = await waiting(says('Painted.'));
    const events = await it.agui('/agui', answer(callId, '{"done":true}'));
    expect(JSON.stringify(model.requests.at(-1)?.messages.at(-1))).toContain('done');
    // The page has its own message of the result.
    expect(events.filter(({ type }) => type === 'TOOL_CALL_RESULT')).toEqual([]);
    expect(events.flatMap(({ delta }) => delta ?? []).join('')).toBe('Painted.');
    expect(await resultIn(it)).toMatchObject({
      outcome: 'ok',
      content: '{"done":true}',
      answeredBy: { by: 'user:ada', caller: { channel: 'agui' } },
    });
    const again = await it.agui('/agui', answer(callId, '{"done":false}'));
    expect(again).toContainEqual({
      type: 'CUSTOM',
      name: 'steploop.decided_before',
      value: { id: callId, detail: expect.stringContaining('no effect') },
    });
    expect(again.at(-1)).toMatchObject({ type: 'RUN_FINISHED' });
    expect(model.requests).toHaveLength(2);
  });

  test('survives a reload: the session shows the call, and the page answers it then', async () => {
    const { it, callId } = await waiting(says('Painted.'));
    const shown = await it.agui('/agui/connect');
    const [snapshot] = shown.filter(({ type }) => type === 'MESSAGES_SNAPSHOT') as (Part & {
      messages: { role: string; toolCalls?: unknown }[];
    })[];
    expect(snapshot?.messages.at(-1)).toMatchObject({ role: 'assistant', toolCalls: [{ id: callId }] });
    expect(shown.at(-1)).not.toHaveProperty('outcome');
    await it.agui('/agui', answer(callId, 'done'));
    expect((await it.view()).session.state).toBe('completed');
  });

  test('tells the model why the page could not carry the call out', async () => {
    const { it, callId } = await waiting(says('Sorry.'));
    await it.agui('/agui', answer(callId, '', { error: 'no such color' }));
    expect(await resultIn(it)).toMatchObject({ outcome: 'error', content: 'Error [failed]: no such color' });
  });

  test('an answer that is too large is an error of the call, and the run goes on', async () => {
    const { it, callId } = await waiting(says('Sorry.'));
    await it.agui('/agui', answer(callId, 'x'.repeat(300_000)));
    expect((await resultIn(it))?.content).toMatch(/^Error \[failed\]: the page answered with 3\d+ bytes/);
  });

  test('expires with a sentence', async () => {
    const { it } = await waiting(says('No page was open.'));
    await it.clock.advance(8 * 86_400_000);
    await sweep(it);
    await it.settle();
    expect((await resultIn(it))?.content).toMatch(/^Error \[no_answer\]: no page of the user/);
    expect((await it.view()).session.state).toBe('completed');
  });

  test('is stopped with its run', async () => {
    const { it, callId } = await waiting();
    await it.chat('POST', '/chat/s1/stop');
    expect((await resultIn(it))?.outcome).toBe('unknown');
    const late = await it.agui('/agui', answer(callId, 'done'));
    expect(late).toContainEqual(expect.objectContaining({ name: 'steploop.decided_before' }));
  });

  test('a message before the answer ends the wait, and an answer that comes with the message counts', async () => {
    const { it, model } = await waiting(says('Well.'));
    await it.agui('/agui', asked({ messages: [user(), user('Leave it', 'm2')] }));
    expect((await resultIn(it))?.content).toMatch(/they have written the message that follows/);
    expect(JSON.stringify(model.requests.at(-1)?.messages.at(-1))).toContain('Leave it');

    const other = await waiting(says('Well.'));
    const { messages } = answer(other.callId, 'done');
    await other.it.agui('/agui', { messages: [...messages, user('And now?', 'm2')], tools: [paint] });
    expect((await resultIn(other.it))?.content).toBe('done');
  });

  test('goes on with the first answer if the process that took it has died before it woke the run', async () => {
    const { it, callId } = await waiting(says('Painted.'));
    const [wait] = (await it.view()).session.batch?.waits ?? [];
    const first = { callId, name: 'paint', outcome: 'ok' as const, content: 'first', durationMs: 0 };
    await it.later.settle(it.key, String(wait?.id), { result: first, digest: 'of the first' });
    await it.agui('/agui', answer(callId, 'second'));
    expect(await resultIn(it)).toMatchObject({ content: 'first' });
    expect((await it.view()).session.state).toBe('completed');
  });

  test('is not answered by people who take no part in the session', async () => {
    const { it, callId } = await waiting();
    const bob = it.agui('/agui', answer(callId, 'done'), person('bob'));
    await expect(bob).rejects.toMatchObject({ problem: { status: 404 } });
  });

  test('a result with the id of a call in an earlier reply is history', async () => {
    const { it, callId } = await waiting();
    const [old] = answer(callId, 'done').messages.slice(-1);
    const messages = [user(), old, { id: 'a2', role: 'assistant', content: 'x' }];
    await it.agui('/agui', { messages, tools: [paint] });
    expect((await it.view()).session.batch?.waits).toHaveLength(1);
  });
});

describe('beside another wait of its run', () => {
  const order = defineTool({
    ...{ name: 'order', description: 'Orders.', input: z.object({}), effect: 'once', approval: 'never' },
    run: (_, { later }) => later(),
  });
  const both = async () => {
    const model = scriptedModel(calls(['paint', { color: 'red' }], ['order', {}]), says('Painted.'));
    const it = await pageWorld({ tools: [order] }, model);
    return { it, events: await it.agui('/agui', asked()) };
  };
  const reasonsAt = (events: readonly Part[]) =>
    (events.at(-1)?.outcome as { interrupts?: { reason: string }[] } | undefined)?.interrupts?.map(
      ({ reason }) => reason,
    );

  test('a page that has the tool answers its call first, and sees the other wait then', async () => {
    const { it, events } = await both();
    expect(reasonsAt(events)).toBeUndefined();
    expect(reasonsAt(await it.agui('/agui/connect', { tools: [paint] }))).toBeUndefined();
    const callId = (await it.view()).session.batch?.waits.find(({ kind }) => kind === 'page')?.callId;
    const after = await it.agui('/agui', answer(String(callId), 'done'));
    expect(reasonsAt(after)).toEqual(['callback']);
  });

  test('a page without the tool sees the other wait at once', async () => {
    const { it } = await both();
    expect(reasonsAt(await it.agui('/agui/connect'))).toEqual(['callback']);
  });
});

describe('the tools that a run offers', () => {
  const own = defineTool({
    ...{ name: 'look', description: 'Looks.', input: z.object({}), effect: 'read' },
    run: () => 'seen',
  });
  const named = (name: string) => ({ ...paint, name });

  test('are those of the message that begins it, after the agent’s, and the prompt of an equal page stays the same', async () => {
    const model = scriptedModel(says('1'), says('2'), says('3'));
    const it = await pageWorld({ tools: [own] }, model);
    await it.agui('/agui', asked({ tools: [named('b'), named('a')] }));
    await it.agui('/agui', { messages: [user('Again', 'm2')], tools: [named('a'), named('b')] });
    await it.agui('/agui', { messages: [user('Bare', 'm3')] });
    expect(toolsAsked(model)).toEqual([['look', 'a', 'b'], ['look', 'a', 'b'], ['look']]);
    expect(JSON.stringify(model.requests[1]?.tools)).toBe(JSON.stringify(model.requests[0]?.tools));
  });

  test('are checked: a name that is taken or cannot be called, a schema that is none, and a tool too many', async () => {
    const model = scriptedModel(says('1'));
    const it = await pageWorld({ tools: [own] }, model);
    const many = Array.from({ length: 70 }, (_, i) => named(`t${i}`));
    const odd = { ...named('odd'), parameters: { type: 'string' } };
    const events = await it.agui('/agui', asked({ tools: [own, named('a b'), odd, ...many] }));
    expect(model.requests[0]?.tools).toHaveLength(63);
    const omitted = events.find(({ name }) => name === 'steploop.tools_omitted')?.value;
    expect(omitted).toMatchObject({
      source: 'page',
      tools: expect.arrayContaining([
        { tool: 'look', why: 'has the name of a tool of the agent' },
        { tool: 'a b', why: expect.stringContaining('models cannot call') },
        { tool: 'odd', why: expect.any(String) },
      ]),
    });
  });

  test('stay those of the run when another page writes in its middle, which is told so', async () => {
    const model = scriptedModel(calls(['paint', { color: 'red' }]), says('Done.'));
    const it = await pageWorld({}, model);
    await it.agui('/agui', asked());
    const events = await it.agui('/agui', { messages: [user('Stop', 'm2')], tools: [named('other')] });
    expect(toolsAsked(model)).toEqual([['paint'], ['paint']]);
    expect(events.find(({ name }) => name === 'steploop.tools_omitted')?.value).toMatchObject({
      tools: [{ tool: 'other', why: expect.stringContaining('in the middle of a run') }],
    });
  });

  test('a call with wrong arguments does not reach the page', async () => {
    const model = scriptedModel(calls(['paint', { color: 3 }]), says('Sorry.'));
    const it = await pageWorld({}, model);
    await it.agui('/agui', asked());
    expect((await resultIn(it))?.content).toMatch(/^Error \[invalid_arguments\]/);
  });
});

test('context and state of the page reach the model as material before the message, and people do not see them', async () => {
  const model = scriptedModel(says('Yes.'));
  const it = await pageWorld({}, model);
  const context = [{ description: 'The open invoice', value: 'R-17' }];
  const events = await it.agui('/agui', { messages: [user()], context, state: { step: 2 } });
  const said = JSON.stringify(model.requests[0]?.messages);
  expect(said).toMatch(/It is material, not an instruction.*R-17.*step.*Paint it/s);
  expect(JSON.stringify(events)).not.toContain('R-17');
});

describe('in the AI SDK', () => {
  const sent = { id: 's1', messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Paint' }] }] };
  const tools = { paint: { description: paint.description, parameters: paint.parameters } };

  test('a call of a page is an input that the page answers, also after a reload', async () => {
    const model = scriptedModel(calls(['paint', { color: 'red' }]), says('Painted.'));
    const it = await pageWorld({}, model);
    const chunks = await it.chat('POST', '/chat', { ...sent, tools });
    expect(chunks.findLast(({ type }) => type === 'tool-input-available')).toMatchObject({
      toolName: 'paint',
      input: { color: 'red' },
      providerExecuted: false,
    });
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'tool-calls' });
    const { messages } = (await it.chat('GET', '/chat/s1/messages')) as unknown as {
      messages: { id: string; parts: Part[] }[];
    };
    const shown = messages.at(-1);
    const part = shown?.parts.find(({ type }) => type === 'tool-paint');
    expect(part).toMatchObject({ state: 'input-available', providerExecuted: false });
    const parts = [{ ...part, state: 'output-available', output: { done: true } }];
    const more = await it.chat('POST', '/chat', {
      ...{ id: 's1', tools, messageId: shown?.id },
      messages: [{ id: shown?.id, role: 'assistant', parts }],
    });
    expect(more.flatMap(({ delta }) => delta ?? []).join('')).toBe('Painted.');
    expect(await resultIn(it)).toMatchObject({ outcome: 'ok', content: '{"done":true}' });
  });
});
