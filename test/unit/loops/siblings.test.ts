import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import type { ModelRequest } from '../../../shared/agent/ports/provider.ts';
import { agentWorld } from '../../../testing/agent-world.ts';
import { answeringModel, calls, says } from '../../../testing/scripted-model.ts';

const base = { version: '1', model: { name: 'm', price: { input: 0, output: 0 } } } as const;
const at = z.object({ at: z.int() });
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: at,
  effect: 'read',
  run: ({ at }) => `Seen ${at}.`,
});
const put = defineTool({
  name: 'put',
  description: 'Puts.',
  input: at,
  effect: 'idempotent',
  run: () => 'Done.',
});

const ADVICE = '[loop-guard] Agents: those that you asked have made';
const isFor = (request: ModelRequest, words: string) => JSON.stringify(request).includes(words);

interface Asked {
  /** For each reply of the root: the places that each agent looks at. */
  readonly rounds: readonly (readonly (readonly number[])[])[];
  readonly name?: 'look' | 'put';
  readonly guardrails?: Parameters<typeof defineAgent>[0]['guardrails'];
}

/** The advice that each request of the root has, and the verdicts about it. */
async function advised({ rounds, name = 'look', guardrails = {} }: Asked) {
  const child = defineAgent({ ...base, name: 'reader', system: 'You read.', tools: [look, put], guardrails });
  const root = defineAgent({
    ...base,
    name: 'root',
    system: 'You lead.',
    guardrails,
    agents: { reader: { agent: child, when: 'To read.' } },
  });
  let round = 0;
  const requests: ModelRequest[] = [];
  const model = answeringModel(({ request }) => {
    const places = /Look at \[([\d,]*)\]/.exec(JSON.stringify(request))?.[1];
    if (isFor(request, 'You read.')) {
      const looks = (places ?? '')
        .split(',')
        .map((place): [string, unknown] => [name, { at: Number(place) }]);
      return isFor(request, 'tool_result') ? says('Read.') : calls(...looks);
    }
    requests.push(request);
    const next = rounds[round++];
    return next
      ? calls(...next.map((looks): [string, unknown] => ['reader', { task: `Look at [${looks}].` }]))
      : says('Done.');
  });
  const world = agentWorld(root, model);
  await world.say('Find out.');
  await world.settle();
  expect((await world.view()).session.state).toBe('completed');
  return requests.map((request) => isFor(request, ADVICE));
}

const from = (first: number, count = 10) => Array.from({ length: count }, (_, i) => first + i);

test('T9: agents of one reply that make ten of the same reads: the run that asked them is advised', async () => {
  expect(await advised({ rounds: [[from(0), from(0)]] })).toEqual([false, true]);
  expect(await advised({ rounds: [[from(0), from(1)]] })).toEqual([false, false]);
});

test('T9: the reads of several agents are counted together', async () => {
  expect(await advised({ rounds: [[from(0), from(5), from(0, 5)]] })).toEqual([false, true]);
});

test('T9: an agent that repeats the reads of one before it counts, and the advice comes once', async () => {
  const again = [from(0)];
  const requests = await advised({ rounds: [again, again, again, again] });
  // It stays in the conversation.
  expect(requests).toEqual([false, false, true, true, true]);
});

test('T9: changes are not compared', async () => {
  expect(await advised({ rounds: [[from(0), from(0)]], name: 'put' })).toEqual([false, false]);
});

test('T9: 0 is off', async () => {
  const guardrails = { nudges: { siblings: 0 } };
  expect(await advised({ rounds: [[from(0), from(0)]], guardrails })).toEqual([false, false]);
});

test('T9: under attocode it is on, and off under the other presets', async () => {
  const rounds = [[from(0), from(0)]];
  expect(await advised({ rounds, guardrails: 'attocode' })).toEqual([false, true]);
  for (const guardrails of ['aar', 'hamr', 'praisonai'] as const)
    expect(await advised({ rounds, guardrails })).not.toContain(true);
});
