import type { SessionKey } from '../../contract/session.ts';
import type { Ports } from '../ports/ports.ts';
import type { SessionView } from '../ports/sessions.ts';
import { ownStart } from '../session/origin.ts';
import type { Session } from '../session/session.ts';
import { deleteSession } from './delete.ts';
import type { Burial, Graves } from './graves.ts';

interface Io {
  readonly sessions: Pick<Ports['sessions'], 'read' | 'cancel' | 'slots'>;
  readonly queue: Pick<Ports['queue'], 'send'>;
  readonly graves: Pick<Graves, 'bury'>;
}

/** Slots of one read: a page of an ordinary history. */
const WINDOW = 500;
/** Children that are deleted at the same time. */
const AT_ONCE = 8;

/** As {@link Burial}. `child` is a session below that is still at work: it was stopped. */
export type TreeBurial = Burial | { readonly kind: 'working'; readonly child: string };

/**
 * Deletes a session that is at rest, and the sessions that its calls have begun, those first: a request that is cut short can be
 * repeated, since the session that names the others is still there.
 */
export async function deleteTree(key: SessionKey, now: number, io: Io): Promise<TreeBurial> {
  const view = await io.sessions.read(key);
  if (view && isAtRest(view) && hasChildren(view.session)) {
    const children = await childrenOf(view.session, io);
    for (let at = 0; at < children.length; at += AT_ONCE) {
      const burials = await Promise.all(
        children.slice(at, at + AT_ONCE).map((sessionId) => deleteChild({ ...key, sessionId }, now, io)),
      );
      const refused = burials.find(({ kind }) => kind !== 'buried' && kind !== 'unknown');
      if (refused) return refused;
    }
  }
  return deleteSession(key, now, io);
}

async function deleteChild(key: SessionKey, now: number, io: Io): Promise<TreeBurial> {
  const burial = await deleteTree(key, now, io);
  if (burial.kind !== 'busy') return burial;
  if ((await io.sessions.cancel(key, now)) === 'cancelled') await io.queue.send(key);
  return { kind: 'working', child: key.sessionId };
}

const isAtRest = ({ dueAt, session: { run } }: SessionView): boolean =>
  dueAt === undefined && (!run || run.ended);

/** Sessions without children are not searched for some. */
const hasChildren = ({ delegatedUsd, background = [] }: Session): boolean =>
  delegatedUsd !== undefined || background.length > 0;

/** The sessions that calls of a session have begun. A fork does not own those of the conversation before it. */
async function childrenOf(session: Session, { sessions }: Pick<Io, 'sessions'>): Promise<string[]> {
  const found = new Set(session.background?.map(({ sessionId }) => sessionId));
  for (let from = ownStart(session); from < session.version; from += WINDOW) {
    const below = Math.min(from + WINDOW, session.version);
    const page = await sessions.slots(session.key, from, { below, bytes: Number.POSITIVE_INFINITY });
    for (const { slot } of page)
      if (slot.kind === 'tools') for (const { child } of slot.results) if (child) found.add(child.sessionId);
  }
  return [...found];
}
