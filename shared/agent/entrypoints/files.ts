import type { SessionKey } from '../../contract/session.ts';
import { blobsOf } from '../lineage/blobs.ts';
import { slotsOf } from '../lineage/slots.ts';
import type { Ports } from '../ports/ports.ts';
import type { Session } from '../session/session.ts';
import type { InputTurn } from '../session/slots.ts';
import { texts } from '../texts.ts';
import { noFiles, readTree, type Tree } from '../workspace/tree.ts';

type Io = Pick<Ports, 'sessions' | 'blobs'>;

/** A session's files, and the slot after which they had this state; `slot` is -1 if it has none. */
export interface FilesAt {
  readonly slot: number;
  /** Hash of the tree; undefined if there is no file. */
  readonly hash: string | undefined;
  readonly tree: Tree;
  /** The session that the files belong to. */
  readonly session: Session;
}

/** The current files of a session, or its files after a slot. */
export async function filesAt(
  key: SessionKey,
  slot: number | undefined,
  io: Io,
): Promise<FilesAt | 'no_session' | 'no_slot'> {
  const view = await io.sessions.read(key);
  if (!view) return 'no_session';
  const found = await treeHashAt(view.session, slot, io);
  if (found === 'no_slot') return found;
  const tree = found.hash ? await readTree(key, found.hash, blobsOf(view.session, io.blobs)) : noFiles;
  return { ...found, tree, session: view.session };
}

/**
 * Restores the files of a session to their state after a slot, if no run is active or waiting. The model is told with the next
 * message, because what it has read of files may be wrong by then.
 */
export async function restoreFiles(
  key: SessionKey,
  slot: number,
  io: Io,
): Promise<'restored' | 'busy' | 'no_session' | 'no_slot'> {
  const view = await io.sessions.read(key);
  if (!view) return 'no_session';
  const { session } = view;
  const found = await treeHashAt(session, slot, io);
  if (found === 'no_slot') return found;
  if (found.hash === session.workspace) return view.dueAt === undefined ? 'restored' : 'busy';
  const told: InputTurn = { text: texts.filesRestored(slot), internal: { reason: RESTORED } };
  const nudges = [...session.nudges.filter(({ internal }) => internal?.reason !== RESTORED), told];
  const to = { workspace: found.hash, nudges };
  const restored = await io.sessions.restore(key, session, to);
  return restored === 'unknown' ? 'no_session' : restored;
}

/** After several restores the model is told only the last. */
const RESTORED = 'files_restored';

async function treeHashAt(
  session: Session,
  slot: number | undefined,
  { sessions }: Io,
): Promise<Pick<FilesAt, 'slot' | 'hash'> | 'no_slot'> {
  const { version, workspace } = session;
  if (slot === undefined) return { slot: version - 1, hash: workspace };
  if (slot >= version) return 'no_slot';
  const [stored] = await slotsOf(session, slot, sessions, { below: slot + 1, bytes: 1 });
  return stored ? { slot, hash: stored.slot.workspace } : 'no_slot';
}
