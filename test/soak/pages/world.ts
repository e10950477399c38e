/** The AG-UI door and the core on memory ports. Steps run as their messages arrive; steps and requests are killed in the middle. */

import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { serveAgui } from '../../../functions/routes/agui.ts';
import type { PageContext } from '../../../functions/routes/page-arrivals.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { sweep } from '../../../shared/agent/entrypoints/sweep.ts';
import { runStep } from '../../../shared/agent/step/run-step.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { memoryWorld } from '../../../testing/memory-world.ts';
import type { Random } from '../../sim/random.ts';
import { memoryEdge } from '../../support/memory-edge.ts';
import { type Life, life, livedBy } from '../mortal.ts';
import { planModel } from './plan.ts';

export type SoakWorld = ReturnType<typeof soakWorld>;

/** A page's user: each has a session of their own. */
export const userOf = (n: number): Identity => ({
  ...{ tenant: 'acme', subject: `user:u${n}`, kind: 'jwt', roles: [] },
});

/** Time limit of an invocation of a step and of a response, in ms, and the time for which a step's message is hidden. */
const STEP_MS = 300_000;
const RESPONSE_MS = 880_000;
const VISIBILITY_MS = 150_000;
/** Sweeps come each minute, in ms. */
const SWEEP_MS = 60_000;

export function soakWorld(random: Random) {
  const world = memoryWorld({
    provider: planModel,
    queue: { visibilityMs: VISIBILITY_MS, maxReceiveCount: 50 },
  });
  const { clock, queue } = world;
  const agent = defineAgent({
    name: 'worker',
    version: '1',
    model: { name: 'm' },
    system: 'Follow the plan.',
    limits: { timeoutSeconds: 604_800 },
    context: { time: 'off', caller: false },
  });
  const edge = memoryEdge(world);
  const state = { flying: 0, killed: 0, sweptAt: 0 };

  /** The ports as one invocation calls them. */
  const portsOf = (one: Life) => {
    const { sessions, inbox, log, blobs, later, provider } = world;
    const lived = Object.entries({ sessions, inbox, log, blobs, later, queue, provider }).map(
      ([name, port]) => [name, livedBy(one, port as object)] as const,
    );
    return { ...world, ...Object.fromEntries(lived) } as typeof world;
  };

  async function runOneStep(received: NonNullable<ReturnType<typeof queue.receive>>) {
    state.flying += 1;
    const one = life(random.chance(0.15) ? random.between(1, 30) : Infinity, random.chance(0.5), () => {
      state.flying -= 1;
      state.killed += 1;
    });
    const invocation = { id: world.ids.next(), message: received.handle, deadlineAt: clock.now() + STEP_MS };
    const options = { agentOf: () => agent, leaseMs: 60_000, abandon: false };
    const settlement = await runStep(received.wake, invocation, options, portsOf(one));
    if (one.dead) return;
    state.flying -= 1;
    if (settlement === 'ack') queue.delete(received.handle);
  }

  let count = 0;
  return {
    ...{ world, state },
    /** Connections that were cut. */
    cuts: 0,
    /** Another number each time. */
    ids: () => ++count,
    /**
     * A request of a page.
     *
     * @param one the invocation that serves it
     */
    async request(rawPath: string, input: object, n: number, one: Life) {
      const event = {
        ...{ rawPath, headers: {}, isBase64Encoded: false, body: JSON.stringify(input) },
        requestContext: { http: { method: 'POST' } },
      } as unknown as APIGatewayProxyEventV2;
      const context: PageContext = {
        ...edge,
        io: portsOf(one),
        watchMs: 120_000,
        agents: [agent],
        priceOf: async () => undefined,
        async decide() {
          throw new Error('no page of the soak decides');
        },
      };
      return serveAgui(event, userOf(n), clock.now() + RESPONSE_MS, context);
    },
    /** Receives everything that is visible. `failures` throws the errors that this causes. */
    pump(onFailure: (error: unknown) => void) {
      for (let step = queue.receive(); step; step = queue.receive()) runOneStep(step).catch(onFailure);
      if (clock.now() - state.sweptAt < SWEEP_MS) return;
      state.sweptAt = clock.now();
      sweep(world).catch(onFailure);
    },
    atRest: () => state.flying === 0 && queue.messages().length === 0,
  };
}
