/**
 * The Slack app on memory ports, with a Slack that misbehaves. Steps, deliveries and jobs run as their messages arrive.
 */

import * as z from 'zod';
import { decideAs } from '../../../functions/middleware/decide.ts';
import type { SlackContext } from '../../../functions/slack/context.ts';
import { runJob } from '../../../functions/slack/jobs.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { outcomesOf } from '../../../shared/agent/events/wait-outcomes.ts';
import { deliver } from '../../../shared/agent/outbound/deliver.ts';
import { runStep } from '../../../shared/agent/step/run-step.ts';
import { createFeedback } from '../../../shared/memory/feedback.ts';
import { createSlackStore } from '../../../shared/memory/slack.ts';
import { outcomeTexts } from '../../../shared/slack/asks.ts';
import { createSlackChannel } from '../../../shared/slack/channel.ts';
import type { SlackJob } from '../../../shared/slack/jobs.ts';
import { createSlackApi } from '../../../shared/slack/web-api.ts';
import { memoryWorld } from '../../../testing/memory-world.ts';
import type { Random } from '../../sim/random.ts';
import * as recorded from '../../support/slack-recordings.ts';
import { life, livedBy } from '../mortal.ts';
import { planModel } from './plan.ts';
import { type SoakSlack, soakSlack } from './slack.ts';

export type SoakWorld = Awaited<ReturnType<typeof soakWorld>>;

/** Time limit of an invocation of the delivery function, in ms, and the time for which its message is hidden. */
const DEADLINE_MS = 90_000;
const VISIBILITY_MS = 150_000;

export async function soakWorld(fixed: ReadonlySet<string>, random: Random) {
  const said: string[] = [];
  const world = memoryWorld({
    provider: planModel(
      () => world.clock,
      (text) => void said.push(text),
    ),
    queue: { visibilityMs: VISIBILITY_MS, maxReceiveCount: 50 },
  });
  const { clock, queue } = world;
  const slack: SoakSlack = soakSlack(fixed, random, () => clock.now());
  const store = createSlackStore(clock);
  await store.install({
    team: recorded.TEAM,
    tenant: 'acme',
    botUser: recorded.BOT,
    secretId: 'token',
    installedAt: 0,
  });
  const paid: number[] = [];
  const agent = defineAgent({
    name: 'helper',
    version: '1',
    model: { name: 'm' },
    system: 'Follow the plan.',
    limits: { timeoutSeconds: 86_400 },
    tools: [
      defineTool({
        name: 'pay',
        description: 'Pays.',
        input: z.object({ n: z.number() }),
        effect: 'once',
        approval: 'always',
        run: async ({ n }) => {
          paid.push(n);
          return 'paid';
        },
      }),
    ],
  });
  const jobs: { job: SlackJob; at: number }[] = [];
  const whispers: Extract<SlackJob, { kind: 'whisper' }>[] = [];
  const decided: { id: string; kind: string }[] = [];
  const api = createSlackApi(slack.client);
  const context: SlackContext = {
    io: world,
    feedback: createFeedback(world.table),
    store,
    tokens: { put: async () => 'token', get: async () => ({ token: 'xoxb-soak' }), remove: async () => {} },
    tokenOf: async () => 'xoxb-soak',
    jobs: {
      async send(job, delayMs = 0) {
        if (job.kind === 'whisper' && job.tries === 0) whispers.push(job);
        jobs.push({ job, at: clock.now() + delayMs });
      },
    },
    agents: [agent],
    config: { agentFor: () => agent.name },
    priceOf: async () => undefined,
    async decide(by, key, decision) {
      const outcome = await decideAs(by, key, decision, { io: world, agents: [agent] });
      decided.push({ id: decision.id, kind: outcome.kind });
      return outcome;
    },
    apiUrl: 'https://slack.com/api/',
    apiOf: async () => api,
    profileOf: async () => ({}),
  };

  const state = { flying: 0, killed: 0, mortal: true };
  const logged: string[] = [];

  /** One message of the delivery queue. Sometimes its function is killed in the middle. */
  async function runDelivery(received: NonNullable<ReturnType<typeof queue.deliveries.receive>>) {
    const dies = state.mortal && random.chance(0.15);
    state.flying += 1;
    const one = life(dies ? random.between(1, 60) : Infinity, random.chance(0.5), () => {
      state.flying -= 1;
      state.killed += 1;
    });
    const ports = {
      clock: livedBy(one, clock),
      sessions: livedBy(one, world.sessions),
      log: livedBy(one, world.log),
      queue: livedBy(one, queue),
      outbound: livedBy(one, world.outbound),
    };
    const channel = createSlackChannel({
      store,
      tokenOf: context.tokenOf,
      apiWith: async () => livedBy(one, api),
      sessions: ports.sessions,
      blobs: world.blobs,
      cards: true,
      clock: ports.clock,
      outcomes: async (key, asks) => {
        const ids = asks.map(({ id }) => id);
        return outcomeTexts(asks, await outcomesOf(key, ids, ports));
      },
      log: (message) => void logged.push(message),
    });
    const invocation = {
      id: world.ids.next(),
      message: received.handle,
      deadlineAt: clock.now() + DEADLINE_MS,
    };
    const settlement = await deliver(received.wake, invocation, { slack: channel }, ports);
    if (one.dead) return;
    state.flying -= 1;
    if (settlement === 'ack') queue.deliveries.delete(received.handle);
  }

  async function runOneStep(received: NonNullable<ReturnType<typeof queue.receive>>) {
    state.flying += 1;
    const invocation = {
      id: world.ids.next(),
      message: received.handle,
      deadlineAt: clock.now() + 300_000,
    };
    const options = { agentOf: () => agent, leaseMs: 60_000, abandon: false };
    const settlement = await runStep(received.wake, invocation, options, world);
    state.flying -= 1;
    if (settlement === 'ack') queue.delete(received.handle);
  }

  return {
    ...{ world, slack, context, said, paid, whispers, decided, jobs, logged, state },
    /** Receives everything that is visible. `failures` throws the errors that this causes. */
    pump(onFailure: (error: unknown) => void) {
      for (let step = queue.receive(); step; step = queue.receive()) runOneStep(step).catch(onFailure);
      for (let next = queue.deliveries.receive(); next; next = queue.deliveries.receive())
        runDelivery(next).catch(onFailure);
      const due = jobs.filter(({ at }) => at <= clock.now());
      for (const job of due) {
        jobs.splice(jobs.indexOf(job), 1);
        state.flying += 1;
        runJob(job.job, context)
          .catch(onFailure)
          .finally(() => {
            state.flying -= 1;
          });
      }
    },
    /** Whether nothing is running, and no message is on its way. */
    atRest: () =>
      state.flying === 0 &&
      jobs.length === 0 &&
      queue.messages().length === 0 &&
      queue.deliveries.messages().length === 0,
  };
}
