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
  /** Files in a folder and all below it, or the one file of that name, sorted by path; all of them when `under` is absent. */
  list(under?: string): Promise<readonly FileEntry[]>;
  /** Undefined when there is no such file. A folder is none. */
  stat(path: string): Promise<FileEntry | undefined>;
  /** Rejects with a sentence when there is no such file. */
  read(path: string): Promise<Uint8Array>;
  /** Makes a file, or writes it anew. Rejects with a sentence when it does not fit (`limits.workspace`). */
  write(path: string, content: string | Uint8Array): Promise<void>;
  /** Rejects with a sentence when there is no such file. */
  remove(path: string): Promise<void>;
}

/** What the workspace of a call begins with. */
export interface FilesBefore {
  /** Hash of the tree that its batch began with; undefined when the session has no file. */
  readonly tree: string | undefined;
  /** What earlier calls of the batch have changed since. */
  changed(): Promise<readonly FileChange[]> | readonly FileChange[];
}

/** The workspace of one call, and how it is closed. */
export interface OpenWorkspace {
  readonly workspace: Workspace;
  /** Keeps what was written, and tells what has changed. Rejects when it cannot be kept. Nothing can be written any more. */
  end(): Promise<readonly FileChange[]>;
}

/** What the workspace of one call needs. */
export interface WorkspaceOf {
  readonly key: SessionKey;
  readonly files: FilesBefore;
  readonly limits: WorkspaceLimits;
  readonly blobs: Blobs;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether it may change files: a `read` runs beside others, and perhaps never, when its result is known. */
  readonly writes: boolean;
  /** Aborts when the call is over: nothing more is read or written then. */
  readonly signal: AbortSignal;
}
