import type { Naming } from '../../contract/listing.ts';
import type { PageOffer } from '../../contract/page.ts';
import type { SessionKey } from '../../contract/session.ts';
import type { Agent } from '../define/agent.ts';
import { definitionOf, modelsNamed } from '../define/pin.ts';
import { agentFrom } from '../define/session-facts.ts';
import { defined } from '../plain/defined.ts';
import { canonicalJson, hash } from '../plain/hash.ts';
import { type AcceptResult, type Control, extrasOf, type InboxEvent, type WhenFull } from '../ports/inbox.ts';
import type { Ports } from '../ports/ports.ts';
import type { Attachment } from '../session/attachments.ts';
import type { CallerFacts, Speaker } from '../session/caller.ts';
import { isOf } from '../session/handoffs.ts';
import type { PriceOf } from '../session/pinned.ts';
import type { Mode } from '../session/proposals.ts';
import { goingRunId, runIdOf } from '../session/run-ids.ts';
import { type FirstMessage, newSession, type Session, type SessionOptions } from '../session/session.ts';
import { titleOf } from '../session/title.ts';

/** An outside event that arrives. */
export interface Arrival {
  /** The sender's idempotency key: the same id never has two effects. */
  readonly eventId: string;
  /** Empty only if something is attached. */
  readonly text: string;
  /** Attachments, already stored as the session's content. */
  readonly attachments?: readonly Attachment[];
  /** Epoch ms at which it arrived, if that is known better than by the clock: it orders events. */
  readonly at?: number;
  /** Subject of the sender. */
  readonly by?: string;
  /** How the sender was verified, and by which channel the event came: for tools that act with the sender's rights. */
  readonly caller?: CallerFacts;
  /** See `InboxEvent.carries`. */
  readonly carries?: readonly Speaker[];
  /** See `InboxEvent.withdraws`. */
  readonly withdraws?: string;
  /** See `InboxEvent.page`. */
  readonly page?: PageOffer;
  /** The session's mode from now on, if the sender sets it. */
  readonly mode?: Mode;
  /** Set if the event is a control of the run ({@link askOf}) rather than a message. */
  readonly control?: Control;
  /** Set if its text is ours and not a person's. */
  readonly internal?: InboxEvent['internal'];
  /** The run that a control is for. */
  readonly runId?: string;
  /**
   * Further parts of the sender's request, which take effect outside the event: the same id with others is a conflict.
   */
  readonly wishes?: Readonly<Record<string, unknown>>;
  /** The session's name in lists, if this is its first message. The default is the message's first words. */
  readonly called?: Pick<Naming, 'metadata'> & {
    readonly title?: string | undefined;
    /** How it was started, if the channel does not say it all. */
    readonly source?: string;
  };
  /** `keep` for senders that do not send again, or only for a short time; `refuse` when absent. */
  readonly whenFull?: WhenFull;
}

/** The outcome of an arrival. */
export type Accepted = Exclude<AcceptResult['kind'], 'unknown'> | 'unknown_session';

/**
 * Creates the session if there is none with this key, pinned to the agent as it is now. Idempotent: an existing session keeps
 * its pinned definition. Throws `UnusableFacts` if the results of the agent's functions cannot be used.
 *
 * @returns `other_agent` if the key belongs to a session of another agent, `gone` if it belonged to one that was just deleted
 */
export async function openSession(
  key: SessionKey,
  agent: Agent,
  priceOf: PriceOf,
  io: Pick<Ports, 'sessions'>,
  options: SessionOptions = {},
): Promise<'created' | 'exists' | 'other_agent' | 'gone'> {
  // The agent's functions are called once in a session.
  const existing = agent.fromFacts && (await io.sessions.read(key));
  if (existing) return isOf(existing.session, agent.name) ? 'exists' : 'other_agent';
  const made = await io.sessions.create(await pinnedSession(key, agent, priceOf, io, options));
  if (made.kind !== 'exists') return made.kind;
  return isOf(made.session, agent.name) ? 'exists' : 'other_agent';
}

/** A new session, pinned to the agent as it is now. Stores its definition, and nothing else. */
export async function pinnedSession(
  key: SessionKey,
  deployed: Agent,
  priceOf: PriceOf,
  io: Pick<Ports, 'sessions'>,
  { first = { at: 0 }, ...options }: SessionOptions,
): Promise<Session> {
  const definition = await storedDefinition(key.tenant, deployed, priceOf, io, first);
  // A caller that begins a session cannot relax its agent's mode.
  const mode = deployed.mode === 'plan' ? deployed.mode : options.mode;
  return newSession(key, deployed.name, definition, { ...options, mode });
}

/**
 * Stores the definition of an agent as it is now.
 *
 * @returns the hash under which it is stored
 */
export async function storedDefinition(
  tenant: string,
  deployed: Agent,
  priceOf: PriceOf,
  io: Pick<Ports, 'sessions'>,
  first: FirstMessage,
): Promise<string> {
  const agent = agentFrom(deployed, tenant, first);
  const listed = await Promise.all(
    modelsNamed(agent).map(({ name, price, window }) =>
      price && window ? undefined : priceOf(name, price !== undefined),
    ),
  );
  const { pinned, hash: definition } = definitionOf(agent, listed);
  await io.sessions.putDefinition(tenant, definition, pinned);
  return definition;
}

/**
 * Accepts an event into a session's inbox and wakes the session. Resolves only when the event is durable and a wake is on the
 * queue, so the sender may be told so. A replay wakes again and changes nothing.
 */
export async function accept(
  key: SessionKey,
  arrival: Arrival,
  io: Pick<Ports, 'clock' | 'inbox' | 'queue' | 'listings'>,
): Promise<Accepted> {
  const { eventId, text: sent, at, control, internal, whenFull } = arrival;
  const now = io.clock.now();
  // Half a surrogate pair is valid JSON but not valid text: the model's server refuses every request that has it.
  const text = sent.toWellFormed();
  const event = { id: eventId, text, digest: digestOf(text, arrival), at: at ?? now, ...extrasOf(arrival) };
  const result = await io.inbox.accept(key, event, now, whenFull);
  switch (result.kind) {
    case 'accepted':
    case 'duplicate': {
      const { wake, began } = result;
      await Promise.all([
        wake && io.queue.send(wake),
        began && io.listings.moved(key, began, control || internal ? undefined : namingOf(arrival)),
      ]);
      return result.kind;
    }
    case 'conflict':
    case 'full':
      return result.kind;
    case 'unknown':
      return 'unknown_session';
    default:
      return result satisfies never;
  }
}

/** A digest of all that an event's id stands for. Stored events that are only a text have the hash of that text. */
function digestOf(text: string, { attachments, mode, wishes = {} }: Arrival): string {
  const wished = Object.entries(wishes).some(([, value]) => value !== undefined);
  if (!attachments && !mode && !wished) return hash(text);
  const parts: unknown[] = [text, attachments ?? []];
  if (mode || wished) parts.push(mode ?? null);
  if (wished) parts.push(wishes);
  return hash(canonicalJson(parts));
}

/** The name of a session that begins with this message. */
function namingOf({ text, attachments = [], by, caller, called }: Arrival): Naming {
  const sent = attachments.length === 1 ? 'an attachment' : `${attachments.length} attachments`;
  const webhook = by?.startsWith('webhook:') ? by : 'webhook';
  const sources = {
    http: 'http',
    agui: 'ag-ui',
    chat: 'chat',
    slack: 'slack',
    channel: 'channel',
    webhook,
    schedule: 'schedule',
  };
  return {
    title: titleOf(called?.title ?? '') || titleOf(text.toWellFormed()) || sent,
    source: called?.source ?? sources[caller?.channel ?? 'http'],
    ...(by && { user: by }),
    ...defined({ metadata: called?.metadata }),
  };
}

/**
 * Sends a control to the active run. `wrap_up`: at its next step the model writes a summary without tools, and the run
 * completes with `summary` in its result. `parent_cancel`: the run that it works for was cancelled, so it ends at its next
 * step, and writes its summary first if it has been asked for one. Use {@link cancel} to stop a run at once. The control
 * applies to the active run, or to the run that the waiting messages begin, and to no later one.
 *
 * @param eventId the caller's idempotency key
 * @returns `idle` if no run is active: then nothing is sent
 */
export async function askOf(
  key: SessionKey,
  control: Control,
  eventId: string,
  io: Pick<Ports, 'clock' | 'inbox' | 'queue' | 'sessions' | 'listings'>,
  asker: Speaker = {},
): Promise<Accepted | 'idle'> {
  const view = await io.sessions.read(key);
  if (!view) return 'unknown_session';
  const { run } = view.session;
  const waiting = view.fence.inbox.length > 0 || view.fence.overflow;
  if ((!run || run.ended) && !waiting) return 'idle';
  return accept(key, { ...asker, eventId, text: control, control, runId: goingRunId(view.session) }, io);
}

/** Asks the active run to stop. It ends as cancelled, even while it waits for a retry. */
export async function cancel(
  key: SessionKey,
  { clock, sessions, queue }: Pick<Ports, 'clock' | 'sessions' | 'queue'>,
): Promise<'cancelled' | 'idle' | 'unknown'> {
  const result = await sessions.cancel(key, clock.now());
  if (result === 'cancelled') await queue.send(key);
  return result;
}

/**
 * As {@link cancel}, for one particular run: a later run continues.
 *
 * @param runId the id of the AG-UI run
 * @returns `idle` if that run is over, `another_run` if a later one is active
 */
export async function cancelRun(
  key: SessionKey,
  runId: string,
  io: Pick<Ports, 'clock' | 'sessions' | 'queue'>,
): Promise<'cancelled' | 'idle' | 'another_run' | 'unknown'> {
  const view = await io.sessions.read(key);
  if (!view) return 'unknown';
  const meant = runIdOf(runId);
  if (goingRunId(view.session) === meant) return cancel(key, io);
  return view.session.run?.id === meant ? 'idle' : 'another_run';
}
