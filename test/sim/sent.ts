/** Files that people send with their messages, and the simulator's own records of them. */

import { keepSent } from '../../shared/agent/media/keep.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import type { Attachment } from '../../shared/agent/session/attachments.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import type { Random } from './random.ts';
import type { Workload } from './workloads.ts';

/** A file as it was sent. */
export interface SentFile {
  readonly path: string;
  readonly text: string;
}

/** The limits of a workspace; unlimited if the workload sets none. */
export type Room = NonNullable<Workload['room']>;

/** Paths that tools work on too, one that only people use, and one that is a folder when others exist. */
const paths = ['file-0', 'file-1', 'docs/a', 'sent/c', 'docs'];

/** The files of a message: few, sometimes two with one path. */
export const draftFiles = (random: Random, eventId: string): SentFile[] =>
  Array.from({ length: random.between(1, 3) }, (_, i) => ({
    path: random.pick(paths),
    text: `${eventId} sends ${i}`.padEnd(random.pick([0, 0, 30, 70]), '.'),
  }));

/**
 * Stores their contents, as the edge does before it accepts the message. The limit for a file may be lower by the time
 * a step takes it.
 */
export const keepFiles = (
  files: readonly SentFile[],
  key: SessionKey,
  blobs: Ports['blobs'],
): Promise<Attachment[]> =>
  Promise.all(
    files.map(async ({ path, text }) => {
      const bytes = new TextEncoder().encode(text);
      const kept = await keepSent({ name: nameOf(path), as: 'file', bytes, path }, key, 1_000, blobs);
      if (typeof kept === 'string') throw new Error(kept);
      return kept;
    }),
  );

export const nameOf = (path: string): string => path.split('/').at(-1) ?? path;

/** The files of a workspace after adding sent ones as far as there is room, and the names of the others. */
export function withSent(
  before: ReadonlyMap<string, string>,
  sent: readonly SentFile[],
  room: Room | undefined,
): { readonly files: ReadonlyMap<string, string>; readonly refused: readonly string[] } {
  const files = new Map(before);
  const refused: string[] = [];
  for (const { path, text } of sent) {
    const after = new Map(files).set(path, text);
    if (isIn(room, after) && !isBelowFile(after)) files.set(path, text);
    else refused.push(nameOf(path));
  }
  return { files, refused };
}

/** Whether there is room for all of these files. */
export const isIn = (room: Room | undefined, files: ReadonlyMap<string, string>): boolean => {
  if (!room) return true;
  const sizes = [...files.values()].map((text) => text.length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return files.size <= room.files && total <= room.bytes && Math.max(0, ...sizes) <= room.fileBytes;
};

/** Whether a file's path would lie below another file. */
const isBelowFile = (files: ReadonlyMap<string, string>): boolean =>
  [...files.keys()].some((path) => [...files.keys()].some((other) => other.startsWith(`${path}/`)));
