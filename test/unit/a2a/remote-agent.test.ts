import { TaskState } from '@a2a-js/sdk';
import { describe, expect, test } from 'vitest';
import type { Internet } from '../../../shared/memory/egress.ts';
import { remoteAgent } from '../../../tools/a2a/index.ts';
import { type Acts, ADDRESS, part, remoteDouble, textPart } from '../../support/a2a/agent.ts';
import { caller } from '../../support/a2a/call.ts';

const done = (...texts: string[]) => ({
  state: TaskState.TASK_STATE_COMPLETED,
  artifacts: [texts.map(textPart)],
});
const works = { state: TaskState.TASK_STATE_WORKING };
const sentTo = ({ heard }: ReturnType<typeof remoteDouble>) =>
  heard.filter(({ method }) => method === 'SendMessage' || method === 'message/send');

describe.each(['1.0', '0.3'] as const)('an agent that speaks A2A %s', (version) => {
  test('gets the task, and its artifact is the result', async () => {
    const agent = remoteDouble((text) => done(`Booked: ${text}`, 'Have a good trip.'), { version });
    const result = await caller(agent.internet).call({ message: 'Berlin to Rome.' });
    expect(result).toMatch(/^Booked: Berlin to Rome\.\nHave a good trip\.\n\n\(Task [0-9a-f]{12}\.\)$/);
    expect(sentTo(agent)).toHaveLength(1);
  });

  test('is looked at until its task has ended', async () => {
    const agent = remoteDouble(() => works, { version });
    const calling = caller(agent.internet).call({ message: 'Rome.' });
    await expect
      .poll(() => agent.methods().filter((one) => /^(GetTask|tasks\/get)$/.test(one)).length)
      .toBe(1);
    await agent.end([...agent.tasks.keys()][0] ?? '', done('By train.'));
    expect(await calling).toContain('By train.');
    expect(sentTo(agent)).toHaveLength(1);
  });

  test('asks people, and gets their answer in the same task', async () => {
    const acts: Acts = (text, { isNew }) =>
      isNew
        ? { state: TaskState.TASK_STATE_INPUT_REQUIRED, says: 'Which day?' }
        : done(`Booked for ${text}.`);
    const agent = remoteDouble(acts, { version });
    const session = caller(agent.internet);
    expect(await session.call({ message: 'Rome.' })).toEqual({
      question: 'The agent travel asks: Which day?',
    });
    const result = await session.call({ message: 'Rome.' }, { answers: ['Friday'] });
    expect(result).toContain('Booked for Friday.');
    expect(sentTo(agent)).toHaveLength(2);
    expect(agent.tasks.size).toBe(1);
  });

  test('that fails gives an error with its words', async () => {
    const agent = remoteDouble(() => ({ state: TaskState.TASK_STATE_FAILED, says: 'No trains.' }), {
      version,
    });
    await expect(caller(agent.internet).call({ message: 'Rome.' })).rejects.toThrow(
      /^the agent travel has failed at the task: No trains\. \(task [0-9a-f]{12}\)$/,
    );
  });

  test('may answer with a message in place of a task', async () => {
    const agent = remoteDouble(() => ({ reply: 'Hello.' }), { version });
    expect(await caller(agent.internet).call({ message: 'Hi.' })).toContain('Hello.');
  });
});

test('an agent that speaks HTTP+JSON gets the task', async () => {
  const card = {
    ...{ name: 'T', description: '', version: '1', capabilities: {}, skills: [] },
    supportedInterfaces: [{ url: ADDRESS, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' }],
  };
  const parts = [{ text: 'By train.' }];
  const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } };
  const completed = { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ artifactId: 'a', parts }] };
  const heard: string[] = [];
  const internet: Internet = ({ method, url }) => {
    const { pathname } = new URL(url);
    heard.push(`${method} ${pathname}`);
    if (pathname.endsWith('.json')) return Response.json(card);
    return Response.json(method === 'POST' ? { task } : { ...task, ...completed });
  };
  expect(await caller(internet).call({ message: 'Rome.' })).toContain('By train.');
  expect(heard.slice(1)).toEqual(['POST /travel/message:send', 'GET /travel/tasks/t']);
});

test.each([
  [TaskState.TASK_STATE_REJECTED, 'has rejected the task'],
  [TaskState.TASK_STATE_CANCELED, 'has canceled the task'],
  [TaskState.TASK_STATE_AUTH_REQUIRED, 'wants a login of its own'],
])('a task in the state %s is an error', async (state, says) => {
  const agent = remoteDouble(() => ({ state }));
  await expect(caller(agent.internet).call({ message: 'Rome.' })).rejects.toThrow(says);
});

test('data is shown as JSON, and files by their names', async () => {
  const parts = [
    part({ $case: 'data', value: { price: 7 } }),
    part({ $case: 'url', value: 'https://x.example/t.pdf' }, 't.pdf', 'application/pdf'),
    part({ $case: 'raw', value: Buffer.from('abc') }),
  ];
  const agent = remoteDouble(() => ({ state: TaskState.TASK_STATE_COMPLETED, artifacts: [parts] }));
  expect(await caller(agent.internet).call({ message: 'Rome.' })).toMatch(
    /^\{"price":7\}\n\[a file t\.pdf \(application\/pdf\): https:\/\/x\.example\/t\.pdf\]\n\[a file: 3 bytes, not shown\]\n/,
  );
});

describe('a call that runs again after its worker has died', () => {
  test('finds its task, and sends nothing', async () => {
    const agent = remoteDouble(() => works);
    const session = caller(agent.internet);
    const dying = new AbortController();
    const first = session.call({ message: 'Rome.' }, { signal: dying.signal });
    await expect.poll(() => agent.methods()).toContain('GetTask');
    dying.abort();
    await expect(first).rejects.toThrow();
    await agent.end([...agent.tasks.keys()][0] ?? '', done('By train.'));
    expect(await session.call({ message: 'Rome.' })).toContain('By train.');
    expect(agent.tasks.size).toBe(1);
    expect(sentTo(agent)).toHaveLength(1);
  });

  const losing = () => {
    let times = 0;
    return remoteDouble(() => done('By train.'), {
      lies: ({ method }) => (method === 'SendMessage' && times++ === 0 ? Response.error() : undefined),
    });
  };

  test('says that the outcome is unknown if the answer to its message was lost', async () => {
    const agent = losing();
    const session = caller(agent.internet);
    await expect(session.call({ message: 'Rome.' })).rejects.toThrow();
    await expect(session.call({ message: 'Rome.' })).rejects.toThrow('may or may not be working on it');
    expect(sentTo(agent)).toHaveLength(1);
  });

  test('sends the same message to an agent that deduplicates', async () => {
    const agent = losing();
    const session = caller(agent.internet, { deduplicates: true });
    await expect(session.call({ message: 'Rome.' })).rejects.toThrow();
    expect(await session.call({ message: 'Rome.' })).toContain('By train.');
    const ids = sentTo(agent).map(({ params }) => params.message.messageId);
    expect(new Set(ids).size).toBe(1);
    expect(ids).toHaveLength(2);
  });

  test('repeats the answer of a person as that answer', async () => {
    let times = 0;
    const acts: Acts = (text, { isNew }) =>
      isNew ? { state: TaskState.TASK_STATE_INPUT_REQUIRED, says: 'Which day?' } : done(`For ${text}.`);
    const agent = remoteDouble(acts, {
      lies: ({ method }) => (method === 'SendMessage' && times++ === 1 ? Response.error() : undefined),
    });
    const session = caller(agent.internet, { deduplicates: true });
    await session.call({ message: 'Rome.' });
    await expect(session.call({ message: 'Rome.' }, { answers: ['Friday'] })).rejects.toThrow();
    expect(await session.call({ message: 'Rome.' }, { answers: ['Friday'] })).toContain('For Friday.');
    const [, first, second] = sentTo(agent).map(({ params }) => params.message.messageId);
    expect(second).toBe(first);
  });
});

describe('a task that takes longer than the call waits', () => {
  const nameIn = (result: unknown) => /"task": "([0-9a-f]{12})"/.exec(String(result))?.[1] ?? '';

  test('is named in the result, and a later call looks at it', async () => {
    const agent = remoteDouble(() => works);
    const session = caller(agent.internet, { waitSeconds: 1 });
    const result = await session.call({ message: 'Rome.' });
    expect(result).toContain('has not finished yet');
    await agent.end([...agent.tasks.keys()][0] ?? '', done('By train.'));
    expect(await session.call({ task: nameIn(result) }, { key: 'k2' })).toContain('By train.');
    expect(sentTo(agent)).toHaveLength(1);
  });

  test('is no task of another session', async () => {
    const agent = remoteDouble(() => works);
    const session = caller(agent.internet, { waitSeconds: 1 });
    const task = nameIn(await session.call({ message: 'Rome.' }));
    await expect(session.call({ task }, { key: 'k2', sessionId: 's2' })).rejects.toThrow(
      `has no task ${task} of this session`,
    );
  });
});

test('an agent whose questions go to the model gets the answer with the task', async () => {
  const acts: Acts = (text, { isNew }) =>
    isNew ? { state: TaskState.TASK_STATE_INPUT_REQUIRED, says: 'Which day?' } : done(`For ${text}.`);
  const agent = remoteDouble(acts);
  const session = caller(agent.internet, { questions: 'model' });
  const asked = String(await session.call({ message: 'Rome.' }));
  expect(asked).toContain('Which day?');
  const task = /"task": "([0-9a-f]{12})"/.exec(asked)?.[1];
  expect(await session.call({ task, message: 'Friday' }, { key: 'k2' })).toContain('For Friday.');
  expect(agent.tasks.size).toBe(1);
});

test('a message to a task that has ended begins another in its context', async () => {
  const agent = remoteDouble((text) => done(`Did ${text}.`));
  const session = caller(agent.internet);
  const task = /Task ([0-9a-f]{12})/.exec(String(await session.call({ message: 'one' })))?.[1];
  expect(await session.call({ task, message: 'two' }, { key: 'k2' })).toContain('Did two.');
  const contexts = [...agent.tasks.values()].map(({ contextId }) => contextId);
  expect(contexts).toHaveLength(2);
  expect(new Set(contexts).size).toBe(1);
});

test.each([
  [{ bearer: 'TOKEN' }, 'authorization', 'Bearer value-of-TOKEN'],
  [{ header: 'x-api-key', secret: 'KEY' }, 'x-api-key', 'value-of-KEY'],
])('every request carries the credential %o', async (auth, header, value) => {
  const agent = remoteDouble(() => done('Yes.'));
  await caller(agent.internet, { auth }).call({ message: 'Hi.' });
  expect(agent.heard.map(({ headers }) => headers.get(header))).toEqual([value, value]);
});

test('a repeated message has an id that names no tenant and no session', async () => {
  const agent = remoteDouble(() => done('Yes.'));
  await caller(agent.internet).call({ message: 'Hi.' }, { key: 'acme:s1:0:c1:abc' });
  expect(sentTo(agent)[0]?.params.message.messageId).toMatch(/^steploop-[0-9a-f]{32}$/);
});

test.each([
  [{ url: 'http://agents.example.com' }, 'must start with https://'],
  [{ url: 'https://me:pw@agents.example.com' }, 'must not contain a user name'],
  [{ waitSeconds: 900 }, 'waitSeconds'],
  [{ origins: ['https://x.example.com/path'] }, 'must be an origin'],
])('options %o are refused', (options, says) => {
  expect(() => remoteAgent({ name: 'a', when: 'w', url: ADDRESS, ...options })).toThrow(says);
});
