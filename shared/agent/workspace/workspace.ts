import type { SessionKey } from '../../contract/session.ts';
import type { WorkspaceLimits } from '../config/limits.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Clock } from '../ports/ports.ts';
import type { FileChange } from '../session/slots.ts';
import type { FileEntry } from './tree.ts';

/**
 * The files of the session, as a call sees them. Paths are relative to the workspace's root, with `/` between names; a path that
 * leads out of it is refused with a sentence. There are no links, no modes and no empty folders.
 */
export interface Workspace {
  /** The files in a folder and below it, or the one file of that name, sorted by path. All files when `under` is absent. */
  list(under?: string): Promise<readonly FileEntry[]>;
  /** Undefined if there is no such file. Folders do not count as files. */
  stat(path: string): Promise<FileEntry | undefined>;
  /** Rejects with a sentence if there is no such file. */
  read(path: string): Promise<Uint8Array>;
  /** Creates or replaces a file. Rejects with a sentence if it does not fit (`limits.workspace`). */
  write(path: string, content: string | Uint8Array): Promise<void>;
  /** Rejects with a sentence if there is no such file. */
  remove(path: string): Promise<void>;
}

/** The starting point of a call's workspace. */
export interface FilesBefore {
  /** Hash of the tree that its batch began with; undefined if the session has no file. */
  readonly tree: string | undefined;
  /** Changes that earlier calls of the batch have made since then. */
  changed(): Promise<readonly FileChange[]> | readonly FileChange[];
}

/** The workspace of one call, and how it is closed. */
export interface OpenWorkspace {
  readonly workspace: Workspace;
  /** Stores what was written, and returns the changes. Rejects if they cannot be stored. After that nothing can be written. */
  end(): Promise<readonly FileChange[]>;
}

/** The needs of one call's workspace. */
export interface WorkspaceOf {
  readonly key: SessionKey;
  readonly files: FilesBefore;
  readonly limits: WorkspaceLimits;
  readonly blobs: Blobs;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether the call may change files. A `read` runs beside others, and may not run at all if its result is known. */
  readonly writes: boolean;
  /** Aborts when the call is over: after that nothing is read or written. */
  readonly signal: AbortSignal;
}
