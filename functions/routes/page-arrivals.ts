import { openSession } from '../../shared/agent/entrypoints/accept.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import { hash } from '../../shared/agent/plain/hash.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import { type CallerFacts, callerFacts } from '../../shared/agent/session/caller.ts';
import { isOf } from '../../shared/agent/session/handoffs.ts';
import type { PriceOf } from '../../shared/agent/session/pinned.ts';
import type { Decision } from '../../shared/contract/ag-ui.ts';
import type { DecidedBefore } from '../../shared/contract/events.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import { isReservedId, sessionIdFor } from '../../shared/contract/ids.ts';
import type { PageAnswer, PageOffer } from '../../shared/contract/page.ts';
import { SessionId, type SessionKey } from '../../shared/contract/session.ts';
import type { Limits } from '../../shared/edge/limits.ts';
import type { Links } from '../../shared/edge/links.ts';
import type { IsOutage } from '../../shared/edge/outage.ts';
import type { Streams } from '../../shared/edge/streams.ts';
import { admitted } from '../middleware/admit.ts';
import { Refusal } from '../middleware/problem.ts';
import { justDeleted, noSuchSession } from './context.ts';
import { answerAll } from './page-answers.ts';
import { checked, type SaidContext, withMedia } from './page-said.ts';
import { isSeenBy, requireSeen, userOf } from './seen.ts';

/** The ports of the doors for pages: AG-UI over SSE, and the AI SDK's chat. */
export interface PageContext extends SaidContext {
  readonly io: SaidContext['io'] &
    Pick<Ports, 'clock' | 'ids' | 'sessions' | 'inbox' | 'log' | 'queue' | 'later'>;
  readonly links: Pick<Links, 'downloadFrom'>;
  readonly limits: Limits;
  readonly streams: Streams;
  readonly isOutage: IsOutage;
  /**
   * Longest time in ms of a response that only follows a session. A limit is needed because Lambda does not report that a client
   * has left.
   */
  readonly watchMs: number;
  readonly priceOf: PriceOf;
  /** Decides what a run waits for, as `POST /sessions/{sessionId}/decisions` does. Throws a Refusal. */
  readonly decide: (
    key: SessionKey,
    decision: Decision,
    caller: Identity,
    channel: CallerFacts['channel'],
  ) => Promise<void>;
}

/** The input of a page, and the protocol that it uses. */
export interface Arrived {
  readonly decisions: readonly Decision[];
  /** Answers to calls that the page carries out itself. */
  readonly answers?: readonly PageAnswer[];
  /** The tools of the page, and what it shows: they belong to `message`. */
  readonly page?: PageOffer | undefined;
  /** Possibly new: only the last message, and only if it is the user's. Its id is the page's own. */
  readonly message?: { readonly id: string; readonly content?: unknown } | undefined;
  /** The page's id of the session. */
  readonly threadId: string;
  /** Name of the agent, if the page sends one. */
  readonly agent: string | undefined;
  readonly mode?: 'act' | 'plan' | undefined;
  /** Time zone that the page sends; an unknown name counts as none. */
  readonly zone?: string | undefined;
  readonly channel: CallerFacts['channel'];
  /** Where a page names its agent, for an error message. */
  readonly sayAgent: string;
}

/** The accepted input. */
export interface Taken {
  readonly news: boolean;
  /** Answers that came too late and had no effect. */
  readonly late: readonly DecidedBefore[];
  /** Why the page does not get another answer: the one that was given is sent again. */
  readonly stands?: string;
}

export const nothing: Taken = { news: false, late: [] };

/** The session of a thread: a thread id that is a valid session id is used as it is, and any other is always mapped to the same session. */
export const sessionOf = async (threadId: string): Promise<string> =>
  SessionId.safeParse(threadId).success ? threadId : sessionIdFor('agui', threadId);

/** Accepts what is new. Refuses if it is only answers that came too late. */
export async function takeIn(
  key: SessionKey,
  arrived: Arrived,
  caller: Identity,
  context: PageContext,
): Promise<Taken> {
  const { decisions, answers: said = [], channel } = arrived;
  const answers = await decideAll(key, decisions, caller, channel, context);
  const answered = await answerAll(key, said, caller, channel, context);
  const isNew =
    arrived.message !== undefined && (await takeMessage(key, arrived.message, arrived, caller, context));
  const news = isNew || answers.counted > 0 || answered.counted > 0;
  const [first] = answers.late;
  if (first && !news) throw first.refusal;
  return {
    news,
    late: [
      ...answers.late.map(({ id, refusal }) => ({ id, detail: refusal.problem.detail ?? '' })),
      ...answered.late,
    ],
  };
}

/** Gives each answer to its interrupt. One that comes too late must not keep the others from counting. */
async function decideAll(
  key: SessionKey,
  decisions: readonly Decision[],
  caller: Identity,
  channel: CallerFacts['channel'],
  { decide }: PageContext,
) {
  let counted = 0;
  const late: { id: string; refusal: Refusal }[] = [];
  for (const decision of decisions) {
    try {
      await decide(key, decision, caller, channel);
      counted++;
    } catch (error) {
      if (!(error instanceof Refusal && error.problem.status === 409)) throw error;
      late.push({ id: decision.id, refusal: error });
    }
  }
  return { counted, late };
}

/** Returns whether the message was new. */
async function takeMessage(
  key: SessionKey,
  { id, content }: NonNullable<Arrived['message']>,
  arrived: Arrived,
  caller: Identity,
  context: PageContext,
): Promise<boolean> {
  const { text, media } = checked(content);
  const arrival = {
    eventId: await eventIdIn(key, id, context),
    text,
    by: caller.subject,
    caller: callerFacts(caller, arrived.channel, arrived.zone),
    ...defined({ mode: arrived.mode, page: arrived.page }),
  };
  const accepted = await admitted(key, context.limits, async (place) => {
    const give = await withMedia(key, arrival, media, arrived.agent, context);
    await open(key, arrived, caller, context);
    const accepted = await give();
    if (accepted !== 'accepted') await place.giveBack();
    return accepted;
  });
  switch (accepted) {
    case 'accepted':
      return true;
    case 'duplicate':
      return false;
    case 'conflict':
      throw new Refusal(422, 'Message id reused', {
        detail:
          'This id was sent before with a different text or different attachments. A sent message cannot be changed: send a new one.',
      });
    case 'full':
      throw new Refusal(429, 'Inbox full', { detail: 'Try again later.' }, { 'retry-after': '10' });
    case 'unknown_session':
      throw noSuchSession();
    default:
      return accepted satisfies never;
  }
}

/** Makes the session of a thread if it does not exist. An existing session keeps its agent. */
async function open(
  key: SessionKey,
  { threadId, agent: name, sayAgent, channel, zone }: Arrived,
  caller: Identity,
  context: PageContext,
): Promise<void> {
  const { agents, priceOf, io } = context;
  const existing = await io.sessions.read(key);
  if (existing && !isSeenBy(caller, existing.session)) throw noSuchSession();
  if (existing && (name === undefined || isOf(existing.session, name))) return;
  if (!existing && isReservedId(threadId)) {
    throw new Refusal(422, 'Reserved thread id', {
      detail: 'Ids of this form are reserved for the server. Begin a new thread under another id.',
    });
  }
  const only = agents.length === 1 ? agents[0]?.name : undefined;
  const agent = agents.find((candidate) => candidate.name === (name ?? only));
  if (!agent) {
    const known = agents.map((candidate) => candidate.name).join(', ');
    throw new Refusal(404, 'No such agent', { detail: `${sayAgent}. There are: ${known}.` });
  }
  const opened = await openSession(key, agent, priceOf, io, {
    user: userOf(caller),
    first: { at: io.clock.now(), by: caller.subject, caller: callerFacts(caller, channel, zone) },
  });
  if (opened === 'gone') throw justDeleted();
  // Another caller may have begun a thread under this id in the meantime: then it is theirs.
  if (opened !== 'created') await requireSeen(key, caller, io);
  if (opened === 'other_agent') {
    throw new Refusal(409, 'Thread of another agent', {
      detail: 'Begin a new thread, under another id, for this agent.',
    });
  }
}

/** The message's id is its idempotency key, with the same meaning as over HTTP. */
export const eventIdOf = (messageId: string): string => `key-${hash(messageId)}`;

/**
 * The id of the event that brings, or has brought, a message. A client that was shown the session sends the session's ids of its
 * messages.
 */
export async function eventIdIn(
  key: SessionKey,
  messageId: string,
  { io }: Pick<PageContext, 'io'>,
): Promise<string> {
  const ours = /^user-(.+)$/.exec(messageId)?.[1];
  const [known] = ours === undefined ? [] : await io.inbox.read(key, [ours]);
  return known?.id ?? eventIdOf(messageId);
}
