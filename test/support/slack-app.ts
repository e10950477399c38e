import type { DecidedAs } from '../../functions/middleware/decide.ts';
import { onCommands } from '../../functions/slack/commands.ts';
import type { SlackContext } from '../../functions/slack/context.ts';
import { onEvents } from '../../functions/slack/events.ts';
import { onInteractions } from '../../functions/slack/interactions.ts';
import { runJob } from '../../functions/slack/jobs.ts';
import { defineAgent } from '../../shared/agent/define/agent.ts';
import { createFeedback } from '../../shared/memory/feedback.ts';
import { createOutbound } from '../../shared/memory/outbound.ts';
import { createSlackStore } from '../../shared/memory/slack.ts';
import { createSlackTokens } from '../../shared/memory/slack-tokens.ts';
import type { SlackApi } from '../../shared/slack/api.ts';
import { SlackJob } from '../../shared/slack/jobs.ts';
import { memoryWorld } from '../../testing/memory-world.ts';
import * as recorded from './slack-recordings.ts';

export const agent = defineAgent({
  name: 'helper',
  version: '1',
  model: { name: 'm' },
  system: 'Help.',
  tools: [],
});

/** A workspace with the app installed, on memory ports, with everything that was sent. */
export async function slackApp(over: Partial<SlackContext> & { decision?: DecidedAs } = {}) {
  const world = memoryWorld();
  const store = createSlackStore(world.clock);
  const tokens = createSlackTokens();
  const sent: SlackJob[] = [];
  const delays: number[] = [];
  const decided: unknown[] = [];
  const calls: unknown[][] = [];
  const record =
    (name: string, value: unknown = {}) =>
    async (...args: unknown[]) => {
      calls.push([name, ...args]);
      return { kind: 'ok', value };
    };
  const api = {
    post: record('post', { ts: '2000000000.000100' }),
    publishHome: record('publishHome'),
    suggestPrompts: record('suggestPrompts'),
    setTitle: record('setTitle'),
    setStatus: record('setStatus'),
    postEphemeral: record('postEphemeral'),
    isKnown: record('isKnown'),
    openDirect: record('openDirect', { channel: 'D0OPENED' }),
    ownMessages: record('ownMessages', []),
    replies: record('replies', { messages: [], more: false }),
  } as unknown as SlackApi;
  await store.install({
    team: recorded.TEAM,
    tenant: 'acme',
    botUser: recorded.BOT,
    secretId: await tokens.put(recorded.TEAM, { token: 'xoxb-test' }),
    url: 'https://acme.slack.com/',
    installedAt: 1000,
  });
  const context: SlackContext = {
    io: { ...world, outbound: createOutbound() },
    feedback: createFeedback(world.table),
    store,
    tokens,
    tokenOf: async ({ secretId }) => (await tokens.get(secretId)).token,
    jobs: {
      async send(job, delayMs = 0) {
        sent.push(job);
        delays.push(delayMs);
      },
    },
    agents: [agent],
    config: { agentFor: () => 'helper' },
    priceOf: async () => undefined,
    async decide(by, key, decision) {
      decided.push({ by, key, ...decision });
      return over.decision ?? { kind: 'decided' };
    },
    apiUrl: 'https://slack.com/api/',
    apiOf: async () => api,
    profileOf: async () => ({}),
    ...over,
  };
  return {
    context,
    world,
    sent,
    delays,
    decided,
    calls,
    api,
    event: (event: object, envelope: object = {}) =>
      onEvents(JSON.stringify(recorded.envelope(event, envelope)), context),
    click: (payload: object) => onInteractions(recorded.asForm(payload), context),
    command: async (text: string) =>
      JSON.parse((await onCommands(recorded.slashCommand(text), context)).body ?? ''),
    /** Sessions that have messages, with the contents of their inboxes. */
    async inboxes() {
      const found = [];
      for (const { sessionId, place } of await store.sessionsOf('acme', recorded.TEAM, recorded.USER)) {
        const key = { tenant: 'acme', sessionId };
        const view = await world.sessions.read(key);
        const events = await world.inbox.read(key, view?.fence.inbox ?? []);
        found.push({
          place,
          texts: events.map(({ text }) => text),
          outbound: view?.session.outbound,
          ...(events.some(({ attachments }) => attachments) && {
            attachments: events.map(({ attachments = [] }) => attachments),
          }),
        });
      }
      return found;
    },
    /**
     * Runs the jobs that were sent since the last call, and the jobs that they send. Returns the calls that they made.
     */
    async work() {
      for (let job = sent.shift(); job; job = sent.shift()) await runJob(SlackJob.parse(job), context);
      return calls.splice(0);
    },
    wakes: () => world.queue.messages().length,
  };
}
