import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { answerCall } from '../../../shared/agent/entrypoints/answer.ts';
import { runCall } from '../../../shared/agent/entrypoints/call.ts';
import type { StopContext, Tool, ToolContext } from '../../../shared/agent/tools/tool.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { settleWithCalls } from '../../support/queued-calls.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { resultsOf } from './reading.fixture.ts';

type Job = Pick<Tool, 'where' | 'effect'> & {
  readonly run?: (context: ToolContext) => unknown;
  readonly stop?: (context: StopContext) => Promise<void> | void;
};

/** A session with a tool that begins something outside, and can stop it. */
async function renting({ run = () => 'ok', stop = () => undefined, where, effect }: Job) {
  const begun: string[] = [];
  const stopped: string[] = [];
  const tool = defineTool({
    ...{ name: 'rent', description: 'Rents a car.', approval: 'never', where, effect },
    input: z.object({}),
    run: (_input, context: ToolContext) => {
      begun.push(context.idempotencyKey);
      return run(context);
    },
    stop: async (context) => {
      stopped.push(context.idempotencyKey);
      await stop(context);
    },
  });
  const model = scriptedModel(calls(['rent', {}]), says('Done.'), says('Again.'));
  const world = await sessionWorld({ tools: [tool] }, model, { internet: () => new Response('stopped') });
  await world.say('Rent one.');
  return { world, begun, stopped };
}

const untilAborted = ({ signal }: Pick<ToolContext, 'signal'>) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
  });

/** Receives the queued call, and gives it to a worker. */
function worker(world: SessionWorld) {
  const taken = world.queue.calls.receive();
  if (!taken) throw new Error('no call is queued');
  const invocation = { id: world.ids.next(), message: taken.handle, deadlineAt: world.clock.now() + 900_000 };
  return runCall(taken.wake, invocation, world.agentOf, world);
}

const stop = async (world: SessionWorld) => {
  await cancel(world.key, world);
};
const outcomeIn = async (world: SessionWorld) => resultsOf(await world.slots())[0]?.outcome;

describe('what a call has begun outside is stopped', () => {
  test('by its worker, when its run is stopped: with a fetch that still works', async () => {
    const heard: string[] = [];
    const { world, begun, stopped } = await renting({
      ...{ where: 'queue', effect: 'idempotent', run: untilAborted },
      stop: async ({ services, signal }) => {
        heard.push(await (await services.fetch('https://cars.example.com/stop', { signal })).text());
      },
    });
    await world.settle();
    const working = worker(world);
    await world.clock.advance(100);
    await stop(world);
    await world.clock.advance(3_000);
    await working;
    await settleWithCalls(world);
    expect(stopped[0]).toBe(begun[0]);
    expect(heard[0]).toBe('stopped');
    expect((await world.view()).session.state).toBe('cancelled');
  });

  test('by the step that ends the run, if the worker has died', async () => {
    const { world, begun, stopped } = await renting({
      ...{ where: 'queue', effect: 'idempotent', run: () => new Promise(() => undefined) },
    });
    await world.settle();
    void worker(world);
    await world.clock.advance(100);
    await stop(world);
    await world.settle();
    expect(await outcomeIn(world)).toBe('unknown');
    expect(stopped).toEqual(begun);
  });

  test('by the step, if the call waits for its answer', async () => {
    const { world, begun, stopped } = await renting({
      ...{ effect: 'once', run: ({ later }) => later({ expiresAfterSeconds: 60 }) },
    });
    await world.settle();
    await stop(world);
    await world.settle();
    expect(stopped).toEqual(begun);
  });

  test('when the time for its answer is over', async () => {
    const { world, begun, stopped } = await renting({
      ...{ effect: 'once', run: ({ later }) => later({ expiresAfterSeconds: 60 }) },
    });
    await world.settle();
    expect(await outcomeIn(world)).toBe('unknown');
    expect(stopped).toEqual(begun);
  });

  test('when the question that the call has asked is not answered', async () => {
    const { world, begun, stopped } = await renting({
      effect: 'idempotent',
      run: ({ ask }) => ask('Which?'),
    });
    await world.settle();
    expect(stopped).toEqual([]);
    await stop(world);
    await world.settle();
    expect(await outcomeIn(world)).toBe('cancelled');
    expect(stopped).toEqual(begun);
  });

  test('by its step, when the run is stopped while it runs there', async () => {
    const { world, begun, stopped } = await renting({ effect: 'idempotent', run: untilAborted });
    const stepping = world.settle();
    await world.clock.advance(100);
    await stop(world);
    await world.clock.advance(3_000);
    await stepping;
    await world.settle();
    expect(begun).toHaveLength(1);
    expect(stopped[0]).toBe(begun[0]);
  });
});

describe('nothing is stopped', () => {
  test.each(['inline', 'queue'] as const)('for a call that has its result, %s', async (where) => {
    const { world, stopped } = await renting({ where, effect: 'idempotent' });
    await settleWithCalls(world);
    expect(await outcomeIn(world)).toBe('ok');
    expect(stopped).toEqual([]);
  });

  test('for a call that has failed by itself', async () => {
    const run = () => {
      throw new Error('no cars');
    };
    const { world, stopped } = await renting({ effect: 'idempotent', run });
    await settleWithCalls(world);
    expect(await outcomeIn(world)).toBe('error');
    expect(stopped).toEqual([]);
  });

  test('for a call that was answered', async () => {
    let token = '';
    const { world, stopped } = await renting({
      effect: 'once',
      run: async ({ later }) => {
        const given = await later();
        token = given.token;
        return given;
      },
    });
    await world.settle();
    await answerCall(token, { result: 'rented' }, world);
    await world.settle();
    expect(await outcomeIn(world)).toBe('ok');
    expect(stopped).toEqual([]);
  });
});

test.each([
  [
    'fails',
    () => {
      throw new Error('no');
    },
  ],
  ['does not return', () => new Promise<void>(() => undefined)],
])('a stop that %s does not hold the run up', async (_what, fails) => {
  const { world } = await renting({
    ...{ effect: 'once', run: ({ later }) => later(), stop: fails },
  });
  await world.settle();
  await stop(world);
  const ending = world.settle();
  await world.clock.advance(5_000);
  await ending;
  expect((await world.view()).session.state).toBe('cancelled');
});
