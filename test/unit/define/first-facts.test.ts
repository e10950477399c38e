import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import type { SessionFacts } from '../../../shared/agent/define/first-facts.ts';
import { openSession } from '../../../shared/agent/entrypoints/accept.ts';
import { UnusableFacts } from '../../../shared/agent/plain/unusable-facts.ts';
import { callerFacts } from '../../../shared/agent/session/caller.ts';
import { memoryWorld } from '../../../testing/memory-world.ts';
import { says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';

const small = { name: 'small' };
const large = { name: 'large' };
const basics = { name: 'helper', version: '1', model: small, system: 'Help.' } as const;
const open = (definition: object, first = { at: 5 }) => {
  const world = memoryWorld();
  const agent = defineAgent({ ...basics, ...definition } as Parameters<typeof defineAgent>[0]);
  const key = { tenant: 'acme', sessionId: 's1' };
  return openSession(key, agent, async () => undefined, world, { first });
};

describe('instructions and model computed from the first facts of a session', () => {
  test('are computed once, from the first message, and pinned', async () => {
    const seen: SessionFacts[] = [];
    const model = scriptedModel(says('1'), says('2'));
    const world = await sessionWorld(
      {
        system: (facts) => {
          seen.push(facts);
          return `You help ${facts.name} in ${facts.zone}.`;
        },
        model: ({ roles }) => (roles.includes('analyst') ? large : small),
        models: [small, large],
      },
      model,
    );
    const ann = callerFacts(
      { kind: 'jwt', name: 'Ann', zone: 'Pacific/Auckland', roles: ['analyst'] },
      'http',
    );
    await world.say('Hi', undefined, 'user:ann', ann);
    await world.settle();
    await world.say('Again', undefined, 'user:bob', callerFacts({ kind: 'jwt', name: 'Bob' }, 'http'));
    await world.settle();
    expect(seen).toMatchObject([
      { tenant: 'acme', user: 'user:ann', name: 'Ann', source: 'http', roles: ['analyst'], metadata: {} },
    ]);
    expect(model.requests.map(({ system, model }) => [system, model])).toEqual([
      ['You help Ann in Pacific/Auckland.', 'large'],
      ['You help Ann in Pacific/Auckland.', 'large'],
    ]);
  });

  test.each([
    ['throws', () => Promise.reject(new Error('a secret'))],
    [
      'throws',
      () => {
        throw new Error('a secret');
      },
    ],
    ['returns undefined', () => undefined],
    ['returns only whitespace', () => '  '],
    ['returns too much', () => 'x'.repeat(200_001)],
  ])('start no session if system %s, and do not expose the error', async (_, system) => {
    const failed = await open({ system }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(UnusableFacts);
    expect(String(failed)).toContain('The agent helper cannot begin a session: its function system');
    expect(String(failed)).not.toContain('secret');
  });

  test('start no session if model returns an unlisted one', async () => {
    await expect(open({ model: () => ({ name: 'other' }), models: [small] })).rejects.toThrow(
      'its function model must return one of its models',
    );
  });

  test('need models if model is a function, and only then', () => {
    const wrong = 'models lists the choices of a function model; give both, or neither';
    expect(() => defineAgent({ ...basics, model: () => small })).toThrow(wrong);
    expect(() => defineAgent({ ...basics, models: [small] })).toThrow(wrong);
  });
});
