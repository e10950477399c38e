/**
 * A fork: a session of its own, which shares the conversation of another one up to some slot. Slots are immutable, so nothing
 * is copied: the fork names where they are stored (docs/adr/0037-forks.md).
 */

import type { SessionKey } from '../../contract/session.ts';
import { stepsIn } from '../events/steps.ts';
import { slotsOf } from '../lineage/slots.ts';
import { defined } from '../plain/defined.ts';
import { hash } from '../plain/hash.ts';
import type { Ports } from '../ports/ports.ts';
import type { LastFold } from '../session/fold.ts';
import { holderAt } from '../session/handoffs.ts';
import { callingOf } from '../session/made.ts';
import type { Share } from '../session/origin.ts';
import { callsOf } from '../session/reply.ts';
import { newSession, type Session } from '../session/session.ts';
import { isFold, type Slot } from '../session/slots.ts';
import { TASKS } from '../session/tasks.ts';
import { FIRST_SEQ, tellThatItIsThere } from './begin-with-messages.ts';

export type ForkPorts = Pick<Ports, 'clock' | 'sessions' | 'log' | 'listings'>;

/** The requested fork. */
export interface ForkAsked {
  readonly forkId: string;
  /** The whole request, as text: a repetition under the same key must be identical. */
  readonly asked: string;
  /** See `Session.user`. */
  readonly user: string | undefined;
  readonly title: string;
  /** Subject of the caller. */
  readonly by: string;
  /** Hash of the stored definition that it is pinned to; that of the other session if absent. */
  readonly definition?: string | undefined;
  /** Attachments of messages at `below` are sent again, so the session that stores them is needed too. */
  readonly withSent?: boolean;
}

/**
 * Why there is no fork: its id belongs to another fork (`conflict`), the fork was made and then deleted (`deleted`), the
 * session has too many forks (`full`), or the session was deleted meanwhile (`gone`).
 */
export type NotForked = 'conflict' | 'deleted' | 'full' | 'gone';

/** Slots that are searched at a time for the last fold and the last tree of files. */
const WINDOW = 100;

/**
 * The number of slots that a fork shares if it is to have everything up to the step of a slot, with the results of its calls;
 * without a slot, all complete steps. Undefined if there is no such step, or its calls still run or wait.
 */
export async function endOfStep(
  session: Session,
  slot: number | undefined,
  sessions: Pick<Ports['sessions'], 'slots'>,
): Promise<number | undefined> {
  const { version, batch } = session;
  if (slot === undefined) return batch?.slot ?? version;
  if (slot >= version) return undefined;
  const near = await slotsOf(session, Math.max(0, slot - 1), sessions, {
    below: Math.min(slot + 2, version),
    bytes: Number.POSITIVE_INFINITY,
  });
  const step = stepsIn(near.map((stored) => stored.slot)).find(
    ({ asked, ran }) => asked.n === slot || ran?.n === slot,
  );
  if (!step) return undefined;
  const { asked, ran } = step;
  const isWhole = ran !== undefined || callsOf(callingOf(asked)).length === 0;
  return isWhole ? (ran ?? asked).n + 1 : undefined;
}

/**
 * Creates the fork, at rest, with the slots of `session` below `below`. Idempotent: a repetition finishes what a crash has cut
 * short. First the fork is created, unlisted; then the session that it reads from records it, unless it was deleted meanwhile;
 * then the fork is announced.
 */
export async function makeFork(
  session: Session,
  below: number,
  asked: ForkAsked,
  io: ForkPorts,
): Promise<Session | NotForked> {
  const { tenant } = session.key;
  const key: SessionKey = { tenant, sessionId: asked.forkId };
  const fork = await forkAt(session, below, key, asked, io);
  const made = await io.sessions.create(fork);
  if (made.kind === 'gone') return 'deleted';
  if (made.kind === 'exists' && !isSameFork(made.session, fork)) return 'conflict';
  const holder = fork.origin?.at(-1)?.sessionId;
  if (holder !== undefined) {
    const added = await io.sessions.addFork({ tenant, sessionId: holder }, asked.forkId);
    if (added !== 'added') return added === 'full' ? 'full' : 'gone';
  }
  const naming = { title: asked.title, source: 'http', user: asked.by };
  await tellThatItIsThere(fork, 'forked', { ...naming, ...defined({ forkOf: fork.forkOf }) }, io);
  return fork;
}

/** The fork as it begins: without costs or grants, and with the context that the model had then. */
async function forkAt(
  session: Session,
  below: number,
  key: SessionKey,
  { asked, user, definition: other, withSent = false }: ForkAsked,
  { sessions }: Pick<ForkPorts, 'sessions'>,
): Promise<Session> {
  const { mode, nudges, mustFold, metadata, serverRules } = session;
  const { from: agent, definition } = holderAt(session, below) ?? { ...session, from: session.agent };
  const isWhole = below === session.version;
  const fold = await lastFold(session, below, sessions);
  // A step whose model could not be reached, and a fold, name no tree; an earlier slot has it.
  const near = await slotsOf(session, Math.max(0, below - WINDOW), sessions, {
    below,
    bytes: Number.POSITIVE_INFINITY,
  });
  const workspace = isWhole
    ? session.workspace
    : near.findLast(({ slot }) => slot.workspace !== undefined)?.slot.workspace;
  const tasks = metadata.guardrails[TASKS];
  const origin = originAt(session, below, withSent);
  const handoffs = session.handoffs?.filter((handoff) => handoff.below <= below) ?? [];
  return {
    ...newSession(key, agent, other ?? definition, { mode, user }),
    version: below,
    eventSeq: FIRST_SEQ,
    ...(origin.length > 0 && { origin }),
    forkOf: { sessionId: session.key.sessionId, below },
    forkAsked: hash(asked),
    ...(fold && { fold: fold.last, contextStart: fold.start }),
    ...defined({ workspace, serverRules }),
    ...(handoffs.length > 0 && { handoffs }),
    ...(isWhole && { nudges, ...defined({ mustFold }) }),
    ...(isWhole && tasks && { metadata: { guardrails: { [TASKS]: tasks } } }),
  };
}

/** Where the slots below `below` are stored, and the attachments of the slot at `below` if they are needed. */
function originAt(session: Session, below: number, withSent: boolean): Share[] {
  const { key, origin = [], packed } = session;
  const own: Share = {
    sessionId: key.sessionId,
    below: Number.POSITIVE_INFINITY,
    ...(packed && { packs: packed.id }),
  };
  const all = [...origin, own];
  const startOf = (i: number) => all[i - 1]?.below ?? 0;
  return all
    .filter((_, i) => startOf(i) < below || (withSent && startOf(i) === below))
    .map((share) => ({ ...share, below: Math.min(share.below, below) }));
}

/** The fold with which the model's context began there. */
async function lastFold(
  session: Session,
  below: number,
  sessions: Pick<Ports['sessions'], 'slots'>,
): Promise<{ readonly last: LastFold; readonly start: number } | undefined> {
  const { fold, contextStart } = session;
  if (!fold) return undefined;
  if (fold.slot < below) return { last: fold, start: contextStart };
  for (let end = below; end > 0; end -= WINDOW) {
    const from = Math.max(0, end - WINDOW);
    const read = await slotsOf(session, from, sessions, { below: end, bytes: Number.POSITIVE_INFINITY });
    const slot = read.map((stored): Slot => stored.slot).findLast(isFold);
    // Its cooldown is over, because a person has forked the session since.
    if (slot && isFold(slot)) return { last: { slot: slot.n, at: 0 }, start: slot.fold.start };
  }
  return undefined;
}

const isSameFork = ({ forkOf, forkAsked }: Session, wanted: Session): boolean =>
  forkOf?.sessionId === wanted.forkOf?.sessionId &&
  forkOf?.below === wanted.forkOf?.below &&
  // Forks of earlier versions have no hash.
  (forkAsked === undefined || forkAsked === wanted.forkAsked);
