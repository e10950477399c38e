import { expect, test } from 'vitest';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { bedrockModels } from '../../../shared/agent/define/bedrock-models.ts';
import { defineDeployment } from '../../../shared/agent/define/deployment.ts';

const bedrock = { provider: 'bedrock-converse', server: 'bedrock' } as const;
const baseUrl = 'https://bedrock-runtime.eu-central-1.amazonaws.com';
const basics = { name: 'a', version: '1', system: 's', tools: [] };

test('the models that are asked by the role are those of all places where an agent names one', () => {
  const first = defineAgent({
    ...basics,
    model: {
      name: 'm',
      fallbacks: [{ ...bedrock, name: 'fallback' }],
      summarizer: { ...bedrock, name: 'summarizer' },
      judge: { ...bedrock, name: 'judge' },
    },
  });
  const second = defineAgent({
    ...{ ...basics, name: 'b' },
    model: () => ({ ...bedrock, name: 'first' }),
    models: [
      { ...bedrock, name: 'first' },
      { ...bedrock, name: 'second' },
    ],
  });
  const third = defineAgent({ ...basics, name: 'c', model: { ...bedrock, server: 'keyed', name: 'keyed' } });
  const KEY = { description: 'A key.' };
  const deployment = defineDeployment({
    agents: [first, second, third],
    models: {
      primary: { baseUrl: 'https://api.anthropic.com', secret: 'KEY' },
      bedrock: { baseUrl, allow: ['old', 'eu.anthropic.*'] },
      keyed: { baseUrl, secret: 'KEY' },
    },
    secrets: { KEY },
  });
  expect(bedrockModels(deployment)).toEqual([
    'eu.anthropic.*',
    'fallback',
    'first',
    'judge',
    'old',
    'second',
    'summarizer',
  ]);
});

test.each(['*', 'a*b', 'a b', ''])('%j allows nothing', (name) => {
  const models = { bedrock: { baseUrl, allow: [name] } };
  const agents = [defineAgent({ ...basics, model: { ...bedrock, name: 'm' } })];
  expect(() => defineDeployment({ agents, models })).toThrow('must be the name or the ARN of a model');
});
