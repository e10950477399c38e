import { expect, test } from 'vitest';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { defineDeployment } from '../../../shared/agent/define/deployment.ts';
import { map } from '../../../shared/agent/define/shapes.ts';
import { rehearse } from '../../../testing/rehearse.ts';
import { calls, says } from '../../../testing/scripted-model.ts';

const model = { name: 'm', price: { input: 1, output: 5 } };
const worker = defineAgent({ name: 'worker', version: '1', model, system: 'You work.' });
const all = map({ name: 'all', agent: worker, width: 2 });
const root = defineAgent({
  ...{ name: 'root', version: '1', model, system: 'You lead.' },
  agents: { all: { agent: all, when: 'For many.' } },
});

test('a rehearsal plays a shape, whose replies are not part of the script', async () => {
  const run = await rehearse(root, {
    user: 'Do both.',
    model: [calls(['all', { items: ['a', 'b'] }]), says('Did a.'), says('Did b.'), says('Both are done.')],
  });
  expect(run.answer).toBe('Both are done.');
  expect(run.requests).toHaveLength(4);
});

test('a rehearsal of a shape alone has its report', async () => {
  const run = await rehearse(all, { user: '["a"]', model: [says('Did a.')] });
  expect(JSON.parse(run.answer ?? '')).toMatchObject({ answered: 1, results: [{ answer: 'Did a.' }] });
});

test('a deployment with prices of its own has shapes too', () => {
  const { agents } = defineDeployment({ agents: [root, worker], prices: { m: { input: 1, output: 2 } } });
  expect(agents.map(({ name }) => name)).toEqual(['root', 'worker', 'all']);
});
