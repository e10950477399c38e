import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { defineDeployment } from '../../../shared/agent/define/deployment.ts';
import { modelsNamed, pin } from '../../../shared/agent/define/pin.ts';
import { agentFrom } from '../../../shared/agent/define/session-facts.ts';
import type { ListedPrice } from '../../../shared/agent/session/pinned.ts';

const cheap = { input: 1, output: 2 };
const dear = { input: 10, output: 20 };
const whole = (price: object) => ({ cacheRead: 0, cacheWrite: 0, ...price });

type Model = Extract<Parameters<typeof defineAgent>[0]['model'], { name: string }>;
const deployed = (model: Model, prices: Record<string, { input: number; output: number }>) => {
  const [agent] = defineDeployment({
    agents: [defineAgent({ name: 'a', version: '1', system: 'Test.', model })],
    prices,
  }).agents;
  if (!agent) throw new Error('no agent');
  return agent;
};
const priceOf = (name: string, prices: Record<string, typeof cheap>, listed?: ListedPrice) =>
  pin(deployed({ name }, prices), listed).price;

describe('A10: prices of a deployment', () => {
  test('A10: the longest key with which a name begins counts', () => {
    const prices = { house: cheap, 'house-large': dear };
    expect(priceOf('house-large-2026', prices)).toEqual(whole(dear));
    expect(priceOf('house-small', prices)).toEqual(whole(cheap));
    expect(priceOf('my-house', prices)).toBeUndefined();
  });

  test('A10: they override the built-in list', () => {
    const listed = {
      ...whole(dear),
      input: 10,
      output: 20,
      cacheRead: 0,
      cacheWrite: 0,
      listed: true,
    } as const;
    expect(priceOf('house', { house: cheap }, listed)).toEqual(whole(cheap));
    expect(priceOf('other', { house: cheap }, listed)).toEqual(listed);
  });

  test('A10: a price of the agent’s own counts more, and other models of the agent are priced too', () => {
    const own = { input: 3, output: 4 };
    const model = {
      name: 'house-large',
      price: own,
      fallbacks: [{ name: 'house-small' }],
      summarizer: { name: 'house-tiny' },
      judge: { name: 'other' },
    };
    const agent = deployed(model, { house: cheap });
    const pinned = pin(agent, undefined);
    expect(pinned.price).toEqual(whole(own));
    expect(pinned.fallbacks?.[0]?.price).toEqual(whole(cheap));
    expect(pinned.summarizer?.price).toEqual(whole(cheap));
    expect(pinned.judge?.price).toBeUndefined();
    expect(modelsNamed(agent).map(({ price }) => price?.input)).toEqual([3, 1, 1, undefined]);
  });

  test('A10: the model that a function chooses has its price', () => {
    const models = [{ name: 'house-a' }, { name: 'house-c' }];
    const agent = defineAgent({
      ...{ name: 'a', version: '1', system: 'Test.', models },
      model: () => ({ name: 'house-c' }),
    });
    const [known] = defineDeployment({ agents: [agent], prices: { house: cheap } }).agents;
    const begun = known && agentFrom(known, 't', { at: 0 });
    expect(begun && pin(begun, undefined)).toMatchObject({ model: 'house-c', price: whole(cheap) });
  });

  test('an agent stays as it is without prices, and a wrong price is refused', () => {
    const agent = defineAgent({ name: 'a', version: '1', system: 'Test.', model: { name: 'house' } });
    expect(defineDeployment({ agents: [agent] }).agents[0]).toBe(agent);
    expect(() => defineDeployment({ agents: [agent], prices: { house: { input: -1, output: 2 } } })).toThrow(
      'prices.house.input',
    );
  });
});
