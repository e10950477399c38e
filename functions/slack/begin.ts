import type { Agent } from '../../shared/agent/define/agent.ts';
import { type Accepted, accept, openSession } from '../../shared/agent/entrypoints/accept.ts';
import { newDestination } from '../../shared/agent/outbound/destination.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import type { Attachment } from '../../shared/agent/session/attachments.ts';
import { sessionIdFor } from '../../shared/contract/ids.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { log } from '../../shared/logger.ts';
import { saidBy } from '../../shared/slack/asks.ts';
import { atOf, inboxIdOf, type SlackMessage } from '../../shared/slack/inbound.ts';
import type { Person } from '../../shared/slack/person.ts';
import { isDirect, placeKeyOf, type SlackPlace } from '../../shared/slack/place.ts';
import type { Installation } from '../../shared/slack/store.ts';
import type { SlackContext } from './context.ts';

/** A message on its way into the session of its place. */
export interface Beginning {
  readonly message: Pick<SlackMessage, 'place' | 'ts' | 'shared' | 'workspace' | 'bot' | keyof Person>;
  readonly kind: SlackMessage['kind'] | 'command' | 'reaction' | 'shortcut';
  /** The emoji, or the id of the shortcut. */
  readonly trigger?: string;
  /** The id of its event, if its place and time do not give one. */
  readonly eventId?: string;
  /** The text that the model reads. */
  readonly prompt: string;
  /** Its attachments, already content of the session. */
  readonly attachments?: readonly Attachment[];
  /** The title of the session in the user's App Home, if it is new. */
  readonly title: string;
}

/**
 * The session at a place. A thread that the bot has opened in a channel belongs to the session that it shows, which did not begin
 * in Slack.
 */
export async function keyOf(
  { tenant }: Installation,
  { team, channel, thread }: SlackPlace,
  { store }: Pick<SlackContext, 'store'>,
): Promise<SessionKey> {
  const linked =
    thread !== undefined && !isDirect(channel) ? await store.linkedTo({ team, channel, thread }) : undefined;
  if (linked?.tenant === tenant) return linked;
  const place = { team, channel, ...defined({ thread }) };
  return { tenant, sessionId: await sessionIdFor('slack', placeKeyOf(place)) };
}

/**
 * Gives a message to the session of its place, which is created if it does not exist. Resolves when the message is durable and a
 * wake is on the queue. `no_agent` means that no agent answers there; `taken`, that the session belongs to another agent and was not
 * begun here; `gone`, that the session of this place was deleted a short time ago. An existing session keeps its agent.
 */
export async function begin(
  { message, kind, trigger, eventId, prompt, attachments = [], title }: Beginning,
  installation: Installation,
  context: SlackContext,
): Promise<Accepted | 'no_agent' | 'taken' | 'gone'> {
  const { io, store, priceOf } = context;
  const { place, user, userTeam, ts, workspace } = message;
  const { team, channel } = place;
  const agent = await answering(message, kind, context, trigger);
  if (!agent) return 'no_agent';

  const key = await keyOf(installation, place, context);
  const { tenant, sessionId } = key;
  const who = { ...saidBy(userTeam, user, await context.profileOf(installation, user)), at: atOf(ts) };
  const opened = await openSession(key, agent, priceOf, io, { outbound: true, first: who });
  if (opened === 'gone') return 'gone';
  if (opened === 'other_agent' && !(await isFromSlack(key, io))) {
    log('error', 'a message of Slack was refused: its session belongs to another agent', {
      ...{ tenant, sessionId, team, channel },
      agent: agent.name,
    });
    return 'taken';
  }
  await Promise.all([
    // Before the message, because the delivery of the run's first words must find the thread.
    io.outbound.put(key, newDestination('slack', 'slack', { place, user, ...(workspace && { workspace }) })),
    message.shared === undefined ? undefined : store.noteShared(team, channel, message.shared),
    store.noteSession(tenant, userTeam, user, {
      sessionId,
      place,
      title: title.slice(0, 200).toWellFormed(),
      at: io.clock.now(),
    }),
  ]);
  const said = {
    ...{ eventId: eventId ?? inboxIdOf({ place, ts }), text: prompt },
    ...(attachments.length > 0 && { attachments }),
    ...who,
  };
  // Slack stops after three tries within minutes, and the user would not learn that the message was lost.
  return accept(key, { ...said, whenFull: 'keep' }, io);
}

/** The agent that answers a message, unless its thread already has one; undefined if none does. */
export async function answering(
  { place, user, userTeam, external, shared: said, bot }: Beginning['message'],
  kind: Beginning['kind'],
  { store, agents, config }: SlackContext,
  trigger?: string,
): Promise<Agent | undefined> {
  const { team, channel } = place;
  const shared = said ?? (await store.isShared(team, channel));
  const who = { user, userTeam, external, ...(bot && { bot }) };
  const request = { team, channel, ...who, shared, kind, ...defined({ trigger }) };
  if (kind === 'reply' && !config.replies?.(request)) return undefined;
  const name = config.agentFor(request);
  if (name === undefined) return undefined;
  const agent = agents.find((candidate) => candidate.name === name);
  if (!agent) throw new Error(`agentFor of the Slack configuration names an unknown agent: ${name}`);
  return agent;
}

const isFromSlack = async (key: SessionKey, io: SlackContext['io']): Promise<boolean> =>
  (await io.outbound.list(key)).some(({ kind }) => kind === 'slack');
