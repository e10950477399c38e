import type { Naming } from '../../contract/listing.ts';
import type { SessionKey } from '../../contract/session.ts';
import type { Agent } from '../define/agent.ts';
import { definitionOf, modelsNamed } from '../define/pin.ts';
import { agentFrom } from '../define/session-facts.ts';
import { canonicalJson, hash } from '../plain/hash.ts';
import type { AcceptResult, Control, InboxEvent, WhenFull } from '../ports/inbox.ts';
import type { Ports } from '../ports/ports.ts';
import type { Attachment } from '../session/attachments.ts';
import type { CallerFacts } from '../session/caller.ts';
import { titleOf } from '../session/listing.ts';
import type { PriceOf } from '../session/pinned.ts';
import type { Mode } from '../session/proposals.ts';
import { goingRunId, runIdOf } from '../session/run-ids.ts';
import { newSession, type Session, type SessionOptions } from '../session/session.ts';

/** An outside event on its way in. */
export interface Arrival {
  /** The sender's idempotency key: the same id never has two effects. */
  readonly eventId: string;
  /** Empty only where something is attached. */
  readonly text: string;
  /** What was sent beside it: the session's content already. */
  readonly attachments?: readonly Attachment[];
  /** Epoch ms at which it came, where that is known better than by the clock: it orders events. */
  readonly at?: number;
  /** Subject of who says it. */
  readonly by?: string;
  /** How they were verified, and which way it came: for tools that act with their rights. */
  readonly caller?: CallerFacts;
  /** How the session is to work from then on, where its sender says so. */
  readonly mode?: Mode;
  /** Set when it asks something of the run ({@link askOf}) rather than saying something. */
  readonly control?: Control;
  /** Set when its text is ours, and nobody has said it. */
  readonly internal?: InboxEvent['internal'];
  /** The run that it is asked of. */
  readonly runId?: string;
  /** What its session is to be known by in lists, if this is its first message: its first words, when nothing is said. */
  readonly called?: Pick<Naming, 'metadata'> & { readonly title?: string | undefined };
  /** `keep` for senders that send nothing twice, or not for long; `refuse` when absent. */
  readonly whenFull?: WhenFull;
}

/** What became of an arrival. */
export type Accepted = Exclude<AcceptResult['kind'], 'unknown'> | 'unknown_session';

/**
 * Makes the session if there is none with this key, pinned to the agent as it is now. Idempotent: an existing
 * session keeps what it is pinned to. Throws `UnusableFacts` when functions of the agent cannot be used.
 *
 * @returns `other_agent` when the key belongs to a session of another agent, `gone` when it belonged to one that was just deleted
 */
export async function openSession(
  key: SessionKey,
  agent: Agent,
  priceOf: PriceOf,
  io: Pick<Ports, 'sessions'>,
  options: SessionOptions = {},
): Promise<'created' | 'exists' | 'other_agent' | 'gone'> {
  // The functions of an agent are asked once in a session.
  const existing = agent.fromFacts && (await io.sessions.read(key));
  if (existing) return existing.session.agent === agent.name ? 'exists' : 'other_agent';
  const made = await io.sessions.create(await pinnedSession(key, agent, priceOf, io, options));
  if (made.kind !== 'exists') return made.kind;
  return made.session.agent === agent.name ? 'exists' : 'other_agent';
}

/** A session as it begins, pinned to the agent as it is now. Keeps its definition, and makes nothing else. */
export async function pinnedSession(
  key: SessionKey,
  deployed: Agent,
  priceOf: PriceOf,
  io: Pick<Ports, 'sessions'>,
  { first = { at: 0 }, ...options }: SessionOptions,
): Promise<Session> {
  const agent = agentFrom(deployed, key.tenant, first);
  const listed = await Promise.all(
    modelsNamed(agent).map(({ name, price, window }) => (price && window ? undefined : priceOf(name))),
  );
  const { pinned, hash: definition } = definitionOf(agent, listed);
  await io.sessions.putDefinition(key.tenant, definition, pinned);
  // Nobody who begins a session makes its agent milder.
  const mode = agent.mode === 'plan' ? agent.mode : options.mode;
  return newSession(key, agent.name, definition, { ...options, mode });
}

/**
 * Accepts an event into a session's inbox and wakes it. Resolves only when the event is durable and a wake is on
 * the queue, so the sender may be told so. A replay wakes again and changes nothing.
 */
export async function accept(
  key: SessionKey,
  arrival: Arrival,
  io: Pick<Ports, 'clock' | 'inbox' | 'queue' | 'listings'>,
): Promise<Accepted> {
  const {
    eventId,
    text: sent,
    attachments,
    at,
    control,
    internal,
    runId,
    by,
    caller,
    mode,
    whenFull,
  } = arrival;
  const now = io.clock.now();
  // Half a surrogate pair is valid JSON and no text: the model's server refuses every request with it.
  const text = sent.toWellFormed();
  const event = {
    id: eventId,
    text,
    ...(attachments && { attachments }),
    digest: hash(
      attachments || mode ? canonicalJson([text, attachments ?? [], ...(mode ? [mode] : [])]) : text,
    ),
    at: at ?? now,
    ...(control && { control }),
    ...(internal && { internal }),
    ...(runId && { runId }),
    ...(by && { by }),
    ...(caller && { caller }),
    ...(mode && { mode }),
  };
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

/** What a session is called whose first message this is. */
function namingOf({ text, attachments = [], by, caller, called }: Arrival): Naming {
  const sent = attachments.length === 1 ? 'an attachment' : `${attachments.length} attachments`;
  const webhook = by?.startsWith('webhook:') ? by : 'webhook';
  const sources = { http: 'http', agui: 'ag-ui', chat: 'chat', slack: 'slack', webhook };
  return {
    title: titleOf(called?.title ?? '') || titleOf(text.toWellFormed()) || sent,
    source: sources[caller?.channel ?? 'http'],
    ...(by && { user: by }),
    ...(called?.metadata && { metadata: called.metadata }),
  };
}

/**
 * Asks the going run to wrap up (T6): at its next step the model sums up without tools, and the run completes with
 * `summary` in its result. Or tells it that the run it works for was cancelled (T1, T7): it ends at its next step, and
 * says its summary first if it is asked for one. Whoever wants it stopped at once uses {@link cancel}. It is asked of the
 * run that goes, or that the messages which wait begin: of no later one.
 *
 * @param eventId the asker's idempotency key
 * @returns `idle` when no run is going: then nothing is asked
 */
export async function askOf(
  key: SessionKey,
  control: Control,
  eventId: string,
  io: Pick<Ports, 'clock' | 'inbox' | 'queue' | 'sessions' | 'listings'>,
): Promise<Accepted | 'idle'> {
  const view = await io.sessions.read(key);
  if (!view) return 'unknown_session';
  const { run } = view.session;
  const waiting = view.fence.inbox.length > 0 || view.fence.overflow;
  if ((!run || run.ended) && !waiting) return 'idle';
  return accept(key, { eventId, text: control, control, runId: goingRunId(view.session) }, io);
}

/** Asks the going run to stop (A2). It ends as cancelled, also when it waits for a retry. */
export async function cancel(
  key: SessionKey,
  { clock, sessions, queue }: Pick<Ports, 'clock' | 'sessions' | 'queue'>,
): Promise<'cancelled' | 'idle' | 'unknown'> {
  const result = await sessions.cancel(key, clock.now());
  if (result === 'cancelled') await queue.send(key);
  return result;
}

/**
 * As {@link cancel}, for whoever means one run: a run that came after it goes on.
 *
 * @param runId the id of the AG-UI run
 * @returns `idle` when that run is over, `another_run` when a later one is going
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
