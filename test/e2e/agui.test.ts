import { HttpAgent } from '@ag-ui/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { env } from '../../shared/contract/env.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { pngOf } from '../support/images.ts';
import { messageStart, openBlock, text } from '../support/model-events.ts';
import { stall } from '../support/model-server.ts';
import { callTools, type RuleModel, ruleModel, sayText, sayTextHeld } from '../support/rule-model.ts';

let model: RuleModel;
let world: Embedded;
/** Lets the model finish the rest of its answer. */
let release = Promise.withResolvers<void>();
let killed = 0;
/** Number of running invocations of the AG-UI function. */
let open = 0;
beforeAll(async () => {
  model = await ruleModel(({ lastText, messages, turn }) => {
    const said = String(messages.at(-1)?.content[0]?.text ?? lastText);
    if (lastText === 'talk') return stall([messageStart(), ...openBlock(text('On ', 'and ', 'on'), 0)]);
    if (lastText === 'hold') return sayTextHeld('The beginning', release.promise, ' and the end.');
    if (lastText === 'die' && killed === 0) {
      setTimeout(() => (killed = world.stack.kill('AgentsStepsStep')), 1_500);
      return stall([messageStart(), ...openBlock(text('Half of ', 'an ans'), 0)]);
    }
    if (lastText === 'paint' && turn === 0) return callTools(['paint', { color: 'red' }]);
    if (lastText === 'work' && turn === 0) return callTools(['look', { n: 1 }]);
    return sayText('You said: ', said, '.');
  });
  world = await embedded({
    model,
    leaseSeconds: 3,
    variables: { [env.WATCH_SECONDS]: '12' },
    onInvocation({ functionId, kind }) {
      if (functionId.startsWith('AgentsAgui')) open += kind === 'start' ? 1 : -1;
    },
  });
}, 120_000);
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

/** The stock agent of `@ag-ui/client`, which verifies every event it gets. */
function agentOn(threadId: string, path = '/worker'): HttpAgent {
  const url = `${world.stack.outputs.AguiUrl}${path}`;
  return new HttpAgent({ url, threadId, headers: { authorization: `Bearer ${world.token}` } });
}

const say = (agent: HttpAgent, content: string) =>
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content });
const shown = (agent: HttpAgent) => agent.messages.map(({ role, content }) => [role, content]);
const thread = () => crypto.randomUUID();

/** Follows the thread without sending a message. */
async function connected(threadId: string): Promise<HttpAgent> {
  const agent = agentOn(threadId, '/connect');
  await agent.runAgent();
  return agent;
}

describe('the stock HttpAgent', () => {
  test('runs a session turn by turn, and keeps its own ids', async () => {
    const agent = agentOn(thread());
    say(agent, 'hello');
    const mine = agent.messages[0]?.id;
    const { result } = await agent.runAgent();
    expect(result).toMatchObject({ success: true, reason: 'completed' });
    say(agent, 'work');
    await agent.runAgent();
    expect(shown(agent).map(([role]) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(agent.messages[0]?.id).toBe(mine);
    expect(shown(agent)[1]).toEqual(['assistant', 'You said: hello.']);
    expect(await world.session(agent.threadId)).toMatchObject({ state: 'completed' });
  });

  test('sends an image that the model sees, and is shown it again by a link', async () => {
    const agent = agentOn(thread());
    const png = Buffer.from(pngOf(3, 2));
    const source = { type: 'data' as const, value: png.toString('base64'), mimeType: 'image/png' };
    const words = { type: 'text' as const, text: 'see' };
    agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: [{ type: 'image', source }, words] });
    await agent.runAgent();
    const asked = model.asked.find(({ lastText }) => lastText.endsWith('see'));
    expect(asked?.messages.at(-1)?.content).toContainEqual(
      expect.objectContaining({ type: 'image', source: expect.objectContaining({ data: source.value }) }),
    );
    const { messages } = await connected(agent.threadId);
    const [part, text] = (messages[0]?.content ?? []) as { source: { value: string } }[];
    expect(text).toEqual(words);
    const got = await fetch(part?.source.value ?? '');
    expect(got.headers.get('content-type')).toBe('image/png');
    expect(Buffer.from(await got.arrayBuffer()).equals(png)).toBe(true);
  });

  test('shows tool calls and their results', async () => {
    const agent = agentOn(thread());
    say(agent, 'work');
    await agent.runAgent();
    const committed = await world.messages(agent.threadId);
    expect(shown(agent)).toEqual(committed.map((m) => [m.role, m.content]));
    expect(agent.messages[1]).toMatchObject({ toolCalls: [{ function: { name: 'look' } }] });
  });

  test('carries out a call of its own tool, after a reload too, and its result counts once', async () => {
    const parameters = { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] };
    const tools = [{ name: 'paint', description: 'Paints the page.', parameters }];
    const agent = agentOn(thread());
    say(agent, 'paint');
    await agent.runAgent({ tools });
    const waiting = await world.session(agent.threadId);
    expect(waiting).toMatchObject({ state: 'waiting_for_tool', waits: [{ kind: 'page', tool: 'paint' }] });
    const reloaded = await connected(agent.threadId);
    const [wait] = waiting.waits as { toolCallId: string }[];
    const toolCallId = String(wait?.toolCallId);
    expect(reloaded.messages.at(-1)).toMatchObject({ toolCalls: [{ id: toolCallId }] });

    // Two tabs have carried it out.
    const tabs = [agent, reloaded].map(async (tab, n) => {
      tab.addMessage({ id: crypto.randomUUID(), role: 'tool', toolCallId, content: `painted in ${n}` });
      if (tab === reloaded) tab.url = `${world.stack.outputs.AguiUrl}/worker`;
      await tab.runAgent({ tools });
    });
    await Promise.all(tabs);
    expect(await world.session(agent.threadId)).toMatchObject({ state: 'completed', waits: [] });
    const results = (await world.messages(agent.threadId)).filter(({ role }) => role === 'tool');
    expect(results).toEqual([
      expect.objectContaining({ content: expect.stringMatching(/^painted in [01]$/) }),
    ]);
    expect(agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });

  test('sees the first words before the model has finished', async () => {
    release = Promise.withResolvers();
    const agent = agentOn(thread());
    say(agent, 'hold');
    const seen: string[] = [];
    await agent.runAgent(
      {},
      {
        onTextMessageContentEvent({ event }) {
          seen.push(event.delta);
          release.resolve();
        },
      },
    );
    expect(seen[0]).toBe('The beginning');
    expect(shown(agent).at(-1)).toEqual(['assistant', 'The beginning and the end.']);
  });

  test('does not stop the run when it disconnects; another one connects in the middle and sees all of it', async () => {
    release = Promise.withResolvers();
    const agent = agentOn(thread());
    say(agent, 'hold');
    const left = agent.runAgent({}, { onTextMessageContentEvent: () => agent.abortRun() });
    await left.catch(() => {});
    const following = connected(agent.threadId);
    release.resolve();
    const other = await following;
    expect(shown(other)).toEqual([
      ['user', 'hold'],
      ['assistant', 'The beginning and the end.'],
    ]);
    expect(await world.atRest(agent.threadId)).toMatchObject({ state: 'completed', run: { steps: 1 } });
    expect(shown(await connected(agent.threadId))).toEqual(shown(other));
  });

  test('gets the end of a run that a user stopped', async () => {
    const agent = agentOn(thread());
    say(agent, 'talk');
    const outcomes: string[] = [];
    await agent.runAgent(
      {},
      {
        onTextMessageContentEvent: () => void world.api('POST', `/sessions/${agent.threadId}/cancel`),
        onRunFinishedEvent: ({ outcome }) => void outcomes.push(outcome),
      },
    );
    expect(outcomes).toEqual(['cancelled']);
    expect(shown(agent).at(-1)).toEqual(['assistant', 'On and on']);
  });

  test('sees no text twice when the step is killed and repeated', async () => {
    const agent = agentOn(thread());
    say(agent, 'die');
    await agent.runAgent();
    expect(killed).toBe(1);
    expect(shown(agent)).toEqual([
      ['user', 'die'],
      ['assistant', 'You said: die.'],
    ]);
  });

  test('may send a message again, with a single effect', async () => {
    const agent = agentOn(thread());
    say(agent, 'once');
    await agent.runAgent();
    const asked = model.asked.length;
    const again = agentOn(agent.threadId);
    again.setMessages(agent.messages.slice(0, 1));
    await again.runAgent();
    expect(shown(again)).toEqual(shown(agent));
    expect(model.asked).toHaveLength(asked);
  });

  test('finds a thread again whose name is not a session id', async () => {
    const threadId = `a thread/${thread()}`;
    const agent = agentOn(threadId);
    say(agent, 'hello');
    const started: string[] = [];
    await agent.runAgent({}, { onRunStartedEvent: ({ event }) => void started.push(event.threadId) });
    expect(started).toEqual([threadId]);
    expect(shown(await connected(threadId))).toEqual([
      ['user', 'hello'],
      ['assistant', 'You said: hello.'],
    ]);
  });

  test('gets its run under the id that it asked with', async () => {
    const agent = agentOn(thread());
    say(agent, 'hello');
    const ids: string[] = [];
    const listen = {
      onRunStartedEvent: ({ event }: { event: { runId: string } }) => void ids.push(event.runId),
      onRunFinishedEvent: ({ event }: { event: { runId: string } }) => void ids.push(event.runId),
    };
    await agent.runAgent({ runId: 'first of mine' }, listen);
    await agentOn(agent.threadId, '/connect').runAgent({ runId: 'second of mine' }, listen);
    expect(ids).toEqual([...Array(2).fill('first of mine'), ...Array(2).fill('second of mine')]);
  });

  test('connects to a thread without any events', async () => {
    expect(shown(await connected(thread()))).toEqual([]);
  });
});

describe('disconnected watchers of one session', () => {
  test('do not hold their invocations, even if their disconnection is not reported', async () => {
    release = Promise.withResolvers();
    const agent = agentOn(thread());
    say(agent, 'hold');
    const run = agent.runAgent();
    await expect.poll(() => open).toBeGreaterThan(0);
    const watch = (signal: AbortSignal) =>
      fetch(`${world.stack.outputs.AguiUrl}/connect`, {
        method: 'POST',
        headers: { authorization: `Bearer ${world.token}` },
        body: JSON.stringify({ threadId: agent.threadId, runId: 'w', messages: [] }),
        signal,
      });
    for (let i = 0; i < 40; i++) {
      const left = new AbortController();
      await watch(left.signal);
      left.abort();
    }
    // The others were displaced by later ones. The last ones end by themselves while the run still continues.
    await expect.poll(() => open, { timeout: 60_000 }).toBe(1);
    expect(await world.session(agent.threadId)).toMatchObject({ state: 'running' });
    release.resolve();
    await run;
    expect(shown(agent).at(-1)).toEqual(['assistant', 'The beginning and the end.']);
    await expect.poll(() => open).toBe(0);
  }, 180_000);
});

describe('POST /agui refuses', () => {
  const input = (more: object = {}) => ({
    threadId: 't1',
    runId: 'r1',
    messages: [{ id: 'm1', role: 'user', content: 'hello' }],
    tools: [],
    context: [],
    state: {},
    forwardedProps: {},
    ...more,
  });
  const post = async (path: string, body: unknown, token = world.token) => {
    const response = await fetch(`${world.stack.outputs.AguiUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as { title: string } };
  };

  test.each<[string, string, object, number]>([
    ['an unknown agent', '/nobody', {}, 404],
    ['a path it does not serve', '/worker/other', {}, 404],
    ['a message that is not text', '/worker', { messages: [{ id: 'm', role: 'user', content: [{}] }] }, 400],
    ['an empty message', '/worker', { messages: [{ id: 'm', role: 'user', content: ' ' }] }, 400],
    ['an input without a thread', '/worker', { threadId: undefined }, 400],
  ])('%s', async (_what, path, more, status) => {
    expect(await post(path, input(more))).toMatchObject({ status, body: { title: expect.any(String) } });
  });

  test('a wrong token, and other methods', async () => {
    expect(await post('/worker', input(), 'wrong')).toMatchObject({ status: 401 });
    expect((await fetch(`${world.stack.outputs.AguiUrl}/worker`)).status).toBe(405);
  });
});
