import { readdir } from 'node:fs/promises';
import { calls, rehearse, says } from 'steploop/testing';
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../../shared/agent/define/agent.ts';
import { defineDeployment } from '../../../shared/agent/define/deployment.ts';
import type { DeploymentDefinition } from '../../../shared/agent/define/deployment-keys.ts';
import { pin } from '../../../shared/agent/define/pin.ts';
import { modelsOf, type PinnedModel } from '../../../shared/agent/session/pinned.ts';
import { toBody as toMessagesBody } from '../../../shared/models/anthropic/request.ts';
import { toBody as toConverseBody } from '../../../shared/models/bedrock/request.ts';
import { toBody as toGenerateBody } from '../../../shared/models/gemini/request.ts';
import { toBody as toChatBody } from '../../../shared/models/openai/request.ts';
import { priceOf } from '../../../shared/models/prices.ts';
import { toBody as toResponsesBody } from '../../../shared/models/responses/request.ts';
import definition from '../../../steploop.config.ts';

const samples = new URL('../../../agents/samples/', import.meta.url);
const folders = (await readdir(samples, { withFileTypes: true })).filter((entry) => entry.isDirectory());
/** Samples of a kind of work have their own tests (test/unit/tools). */
const AT_WORK = ['coder', 'operations'];
const names = folders.map(({ name }) => name).filter((name) => !AT_WORK.includes(name));

const sample = async (name: string): Promise<Agent> =>
  (await import(new URL(`${name}/agent.ts`, samples).href)).agent;

async function pinned(agent: Agent) {
  const prices = await Promise.all([agent.model, ...agent.model.fallbacks].map(({ name }) => priceOf(name)));
  return pin(agent, prices[0], prices.slice(1));
}

/** The body of a first request to one of an agent's models, as its provider would send it. */
function bodyOf({ price: _, ...asked }: PinnedModel, { system, tools }: ReturnType<typeof pin>) {
  const messages = [{ role: 'user' as const, content: [{ type: 'text', text: 'Shorten this.' }] }];
  const request = { ...asked, system, tools, messages };
  switch (request.provider) {
    case 'anthropic':
      return toMessagesBody(request, true).body;
    case 'openai':
      return toChatBody(request, 'http://localhost/v1', 'native');
    case 'openai-responses':
      return toResponsesBody(request, 'http://localhost/v1');
    case 'bedrock-converse':
      return toConverseBody(request);
    case 'gemini':
      return toGenerateBody(request);
    case 'openai-xml':
      return toChatBody(request, 'http://localhost/v1', 'xml');
    default:
      throw new Error(`no sample is for ${request.provider}`);
  }
}

test('there is a sample for each provider', () => {
  expect(names.sort()).toEqual([
    ...[
      'anthropic',
      'bedrock',
      'bedrock-converse',
      'deepseek',
      'gemini',
      'ollama',
      'openai-compatible',
      'openai-responses',
    ],
  ]);
});

describe.each(names)('the sample %s', (name) => {
  test('is a valid agent that builds a request for each of its models', async () => {
    const agent = await sample(name);
    const definition = await pinned(agent);
    expect(agent.name).toBe(`on-${name}`);
    for (const model of modelsOf(definition)) {
      const body = bodyOf(model, definition);
      // Converse and Gemini have the model and the stream in their addresses.
      if (!['bedrock-converse', 'gemini'].includes(model.provider ?? ''))
        expect(JSON.parse(body)).toMatchObject({ model: model.model, stream: true });
      expect(body).toContain('count_words');
      expect(body).toContain('Shorten this.');
    }
  });

  test('calls its tool and answers, without advice of a guard', async () => {
    const run = await rehearse(await sample(name), {
      user: 'Shorten this: The cat that is black sat down.',
      model: [calls(['count_words', { text: 'The black cat sat.' }]), says('The black cat sat: 4 words.')],
    });
    expect(run).toMatchObject({
      state: 'completed',
      answer: 'The black cat sat: 4 words.',
      left: 0,
    });
    expect(run.verdicts).toEqual([]);
    expect(run.calls).toMatchObject([{ name: 'count_words', outcome: 'ok', content: '{"words":4}' }]);
  });

  test('has a price, so that its budget applies', async () => {
    for (const { price } of modelsOf(await pinned(await sample(name)))) expect(price).toBeDefined();
  });

  test('is not deployed, and matches the servers that it declares', async () => {
    const { agent, models } = await import(new URL(`${name}/agent.ts`, samples).href);
    expect(definition.agents.map((deployed) => deployed.name)).not.toContain(`on-${name}`);
    const servers: NonNullable<DeploymentDefinition['models']> = models ?? {};
    const secrets = Object.values(servers).flatMap(({ secret = [] }) => secret);
    const declared = Object.fromEntries(secrets.map((secret) => [secret, { description: 'A key.' }]));
    expect(defineDeployment({ agents: [agent], models, secrets: declared }).agents).toEqual([agent]);
  });
});
