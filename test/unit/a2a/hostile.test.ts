import { TaskState } from '@a2a-js/sdk';
import { describe, expect, test } from 'vitest';
import { ADDRESS, type Lies, remoteDouble, textPart } from '../../support/a2a/agent.ts';
import { caller } from '../../support/a2a/call.ts';

const works = () => ({ state: TaskState.TASK_STATE_WORKING });
const done = (text: string) => ({ state: TaskState.TASK_STATE_COMPLETED, artifacts: [[textPart(text)]] });
const lying = (method: string, lie: (id: unknown) => Response | Promise<Response>): Lies => {
  const lies: Lies = (heard) => (heard.method === method ? lie(heard.id) : undefined);
  return lies;
};
const CARD = '/travel/.well-known/agent-card.json';
const cardAt = (url: string) =>
  Response.json({
    ...{ name: 'T', description: '', version: '1', capabilities: {}, skills: [] },
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  });
const result = (value: unknown) => (id: unknown) => Response.json({ jsonrpc: '2.0', id, result: value });
const failure = (message: string) => (id: unknown) =>
  Response.json({ jsonrpc: '2.0', id, error: { code: -32603, message } });
const task = (id: string, state = 'TASK_STATE_WORKING') => ({ id, contextId: 'c', status: { state } });

describe('an agent is not followed elsewhere', () => {
  const auth = { bearer: 'TOKEN' };

  test.each([
    ['its card', CARD],
    ['a message', 'SendMessage'],
  ])('by a redirect of %s', async (_what, method) => {
    const to = { status: 307, headers: { location: 'https://evil.example.com/' } };
    const agent = remoteDouble(works, { lies: lying(method, () => new Response(null, to)) });
    await expect(caller(agent.internet, { auth }).call({ message: 'Hi.' })).rejects.toThrow(
      'redirects, which was not to be followed',
    );
    expect(agent.methods().filter((one) => one === method)).toHaveLength(1);
  });

  test('by a card that names another origin: it gets neither the task nor the credential', async () => {
    const agent = remoteDouble(works, { lies: lying(CARD, () => cardAt('https://evil.example.com/a2a')) });
    await expect(caller(agent.internet, { auth }).call({ message: 'Hi.' })).rejects.toThrow(
      'served at https://evil.example.com, and not at https://agents.example.com: add that origin to "origins"',
    );
    expect(agent.methods()).toEqual([CARD]);
  });

  test('but to an origin that the definition names', async () => {
    const url = 'https://api.example.com/a2a';
    const agent = remoteDouble(() => done('Yes.'), { lies: lying(CARD, () => cardAt(url)) });
    const origins = ['https://api.example.com'];
    expect(await caller(agent.internet, { auth, origins }).call({ message: 'Hi.' })).toContain('Yes.');
  });

  test.each(['http://169.254.169.254/a2a', 'https://10.0.0.7/a2a', 'https://db.internal/a2a'])(
    'to %s, whatever the definition says',
    async (url) => {
      const agent = remoteDouble(works, { lies: lying(CARD, () => cardAt(url)) });
      const origins = [new URL(url).origin];
      await expect(caller(agent.internet, { auth, origins }).call({ message: 'Hi.' })).rejects.toThrow(
        'must lead to a public address',
      );
      expect(agent.methods()).toEqual([CARD]);
    },
  );

  test('on AWS to this machine', async () => {
    const agent = remoteDouble(works);
    await expect(
      caller(agent.internet, { url: 'http://127.0.0.1:9/travel' }).call({ message: 'Hi.' }),
    ).rejects.toThrow('must lead to a public address');
    expect(agent.heard).toEqual([]);
  });
});

describe('an agent that lies', () => {
  test('about the id of a task is told apart', async () => {
    const agent = remoteDouble(works, { lies: lying('GetTask', result(task('another'))) });
    await expect(caller(agent.internet).call({ message: 'Hi.' })).rejects.toThrow(
      'the agent travel answers with another task than its own.',
    );
  });

  test.each([
    ['an empty id', ''],
    ['an id of a megabyte', 'x'.repeat(1_000_000)],
  ])('with %s has no task', async (_what, id) => {
    const agent = remoteDouble(works, { lies: lying('SendMessage', result({ task: task(id) })) });
    await expect(caller(agent.internet).call({ message: 'Hi.' })).rejects.toThrow('no usable id');
  });

  test.each([
    ['nothing', () => new Response(null, { status: 204 })],
    ['HTML', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['another JSON', () => Response.json([1, 2])],
    ['a result without a task', result({})],
    ['null', result(null)],
    ['an error', failure('Oh no')],
    ['HTTP 500', () => new Response('broken', { status: 500 })],
  ])('and answers a message with %s gives an error, and is asked once', async (_what, lie) => {
    const agent = remoteDouble(works, { lies: lying('SendMessage', lie) });
    await expect(caller(agent.internet).call({ message: 'Hi.' })).rejects.toThrow(/^the agent travel /);
    expect(agent.methods().filter((one) => one === 'SendMessage')).toHaveLength(1);
    expect(agent.methods()).not.toContain('GetTask');
  });

  test('with a state that does not exist has no result', async () => {
    const lie = result({ task: task('t', 'TASK_STATE_DREAMING') });
    const agent = remoteDouble(works, { lies: lying('SendMessage', lie) });
    await expect(caller(agent.internet).call({ message: 'Hi.' })).rejects.toThrow('without a state');
  });

  test('and repeats the credential: the model does not read it', async () => {
    const agent = remoteDouble(works, { lies: lying('SendMessage', failure('no: Bearer value-of-TOKEN')) });
    const calling = caller(agent.internet, { auth: { bearer: 'TOKEN' } }).call({ message: 'Hi.' });
    await expect(calling).rejects.toThrow(/no: Bearer/);
    await expect(calling).rejects.not.toThrow(/value-of-TOKEN/);
  });

  test('with words that hide instructions shows only what a reader sees', async () => {
    const says = `Which day?${'\u{E0041}'.repeat(50)}\u200B`;
    const agent = remoteDouble(() => ({ state: TaskState.TASK_STATE_INPUT_REQUIRED, says }));
    expect(await caller(agent.internet).call({ message: 'Hi.' })).toEqual({
      question: 'The agent travel asks: Which day?',
    });
  });
});

describe('an agent without end', () => {
  const endless = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(100_000).fill(32)),
    });

  test.each([
    ['its card', CARD, 500_000],
    ['an answer', 'SendMessage', 1_000_000],
    ['a task', 'GetTask', 1_000_000],
  ])(
    'is cut off at the limit of %s',
    async (_what, method, most) => {
      const lies = lying(method, () => new Response(endless()));
      const agent = remoteDouble(works, { lies });
      await expect(
        caller(agent.internet, { maxResultBytes: 1_000_000, waitSeconds: 20 }).call({ message: 'Hi.' }),
      ).rejects.toThrow(`more than ${most} bytes`);
    },
    60_000,
  );

  test('with a huge artifact is cut off', async () => {
    const agent = remoteDouble(() => done('x'.repeat(2_000_000)));
    await expect(
      caller(agent.internet, { maxResultBytes: 1_000_000 }).call({ message: 'Hi.' }),
    ).rejects.toThrow('more than 1000000 bytes');
  });

  test('with a question of a megabyte asks a short one', async () => {
    const says = 'why '.repeat(250_000);
    const agent = remoteDouble(() => ({ state: TaskState.TASK_STATE_INPUT_REQUIRED, says }));
    const { question } = (await caller(agent.internet).call({ message: 'Hi.' })) as { question: string };
    expect(question.length).toBeLessThan(4_200);
  });

  test('that never ends its task is looked at rarely, and named to the model', async () => {
    const agent = remoteDouble(works);
    expect(await caller(agent.internet, { waitSeconds: 3 }).call({ message: 'Hi.' })).toContain(
      'not finished',
    );
    expect(agent.methods().filter((one) => one === 'GetTask').length).toBeLessThan(6);
  });
});

test('a few failed looks at a task are no failure of it', async () => {
  let times = 0;
  const agent = remoteDouble(works, {
    lies: ({ method }) =>
      method === 'GetTask' && times++ < 2 ? new Response('busy', { status: 503 }) : undefined,
  });
  const calling = caller(agent.internet).call({ message: 'Hi.' });
  await expect.poll(() => times).toBeGreaterThan(0);
  await agent.end([...agent.tasks.keys()][0] ?? '', done('At last.'));
  expect(await calling).toContain('At last.');
});

test('a task that can no longer be looked at is named, so that the model can look again', async () => {
  const agent = remoteDouble(works, { lies: lying('GetTask', () => new Response('busy', { status: 503 })) });
  await expect(caller(agent.internet).call({ message: 'Hi.' })).rejects.toThrow(
    /Its task may go on: look again with \{ "task": "[0-9a-f]{12}" \}\.$/,
  );
}, 30_000);

test('the card is also found at the root of the host', async () => {
  const agent = remoteDouble(() => done('Yes.'), {
    lies: ({ method }) =>
      method === CARD
        ? new Response('no', { status: 404 })
        : method === '/.well-known/agent-card.json'
          ? cardAt(ADDRESS)
          : undefined,
  });
  expect(await caller(agent.internet).call({ message: 'Hi.' })).toContain('Yes.');
});
