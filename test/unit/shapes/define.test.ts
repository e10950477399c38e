import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { defineDeployment } from '../../../shared/agent/define/deployment.ts';
import { map, parallel, pipeline, race, vote } from '../../../shared/agent/define/shapes.ts';
import { modelProvider } from '../../../shared/models/models.ts';

const worker = defineAgent({ name: 'worker', version: '1', model: { name: 'm' }, system: 'You work.' });

describe('a shape that could never work is refused when it is declared', () => {
  test.each([
    [
      'a map of 33 at once',
      () => map({ name: 'all', agent: worker, width: 33 }),
      /agent all:\n.*at most 32 agents of one tree.*\n.*at width/,
    ],
    ['a map of none', () => map({ name: 'all', agent: worker, width: 0 }), /agent all:\n[^\n]*\n.*at width/],
    ['a report of 20 characters', () => map({ name: 'all', agent: worker, reportChars: 20 }), /reportChars/],
    ['one agent in parallel', () => parallel({ name: 'all', agents: { a: { agent: worker } } }), /agents/],
    ['a pipeline of one', () => pipeline({ name: 'all', agents: [worker] }), /agents/],
    ['a vote on one answer', () => vote({ name: 'all', agent: worker, n: 1, judge: worker }), /\bn\b/],
    ['a race of 33', () => race({ name: 'all', agent: worker, n: 33 }), /at most 32 agents/],
    [
      'a map that is to read the conversation',
      () =>
        defineAgent({
          ...{ name: 'root', version: '1', model: { name: 'm' }, system: 'You lead.' },
          agents: { all: { agent: map({ name: 'all', agent: worker }), when: 'For many.', context: 'fork' } },
        }),
      /a map reads only its list: leave context out/,
    ],
  ])('%s', (_, declare, says) => {
    expect(declare).toThrow(says);
  });
});

describe('a deployment', () => {
  const all = map({ name: 'all', agent: worker });
  const root = defineAgent({
    ...{ name: 'root', version: '1', model: { name: 'm' }, system: 'You lead.' },
    agents: { all: { agent: race({ name: 'first', agents: [all, worker] }), when: 'For many.' } },
  });

  test('has the shapes that its agents ask, whatever their depth, and asks no server for them', () => {
    const { agents } = defineDeployment({ agents: [root, worker] });
    expect(agents.map(({ name }) => name)).toEqual(['root', 'worker', 'first', 'all']);
  });

  test('still lists the agents with a model', () => {
    expect(() => defineDeployment({ agents: [root] })).toThrow(
      'agent all, agents.worker: worker is not one of the deployment’s agents'.replace('’', "'"),
    );
  });

  test('cannot name a provider like shapes', () => {
    expect(() =>
      defineDeployment({ agents: [worker], providers: { shape: { protocol: () => ({}) as never } } }),
    ).toThrow('providers.shape: this name is built in');
  });
});

test('a definition of the provider that no shape has made fails with a sentence', async () => {
  const request = {
    ...{ provider: 'shape', server: 'none', model: 'x', maxTokens: 1, request: {} },
    system: 's',
  };
  const outcome = await modelProvider({}).complete(
    { ...request, tools: [], messages: [] },
    () => {},
    AbortSignal.timeout(1_000),
  );
  expect(outcome).toMatchObject({
    failure: {
      kind: 'fatal',
      message: 'make agents of this provider with map, parallel, pipeline, vote or race.',
    },
  });
});
