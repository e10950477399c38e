import type { Memory, Rememberer } from '../memories/memory.ts';
import { memoryOf } from '../memories/open.ts';
import { blobKey } from '../plain/blob-key.ts';
import { byteLength } from '../plain/utf8.ts';
import type { EgressInit } from '../ports/egress.ts';
import type { Ports } from '../ports/ports.ts';
import type { Reminders } from '../reminders/reminders.ts';
import type { Task } from '../session/tasks.ts';
import type { SessionSkills } from '../skills/of-session.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** The services that the deployment offers to tools, the same in a step and from the queue. */
export interface ToolServices extends SourceServices {
  /** The session's files (docs/workspace.md). A call's changes take effect when it succeeds, and later calls see them then. */
  readonly workspace: Workspace;
  /** The session's list of tasks. For tools that run in their step: from the queue it cannot be changed. */
  readonly tasks: TaskBoard;
  /** Messages that the session gets later (docs/timers.md). */
  readonly reminders: Reminders;
  /** The skills of the session's agent (docs/skills.md). */
  readonly skills: SessionSkills;
}

/** The tasks of a session when a call begins, and when it has succeeded. */
export interface TaskBoard {
  list(): readonly Task[];
  /** Throws if the list cannot be changed. */
  keep(tasks: readonly Task[]): void;
}

/** The services for sources, before there is a call. */
export interface SourceServices {
  /** Texts of this session, by name. */
  readonly blobs: SessionBlobs;
  /**
   * As the platform's `fetch`, to public addresses only, with each redirect checked; up to 5 MB in 30 s unless `init` says
   * otherwise. It ends with the call's signal. Use only this for an address that a model has chosen.
   */
  readonly fetch: (url: string | URL, init?: EgressInit) => Promise<Response>;
  /** Knowledge of agents in later sessions: facts about the person who asks, and about the tenant (docs/memory.md). */
  readonly memory: Memory;
}

/** Texts that a session's tools keep for one another. No other session or tenant can read them. */
export interface SessionBlobs {
  /** Stores a text under a name, and replaces the one before. */
  put(name: string, text: string): Promise<void>;
  /** Undefined if nothing is stored under this name. */
  get(name: string): Promise<string | undefined>;
}

/** Characters of a blob's name. Its key, in which each may become nine bytes, must stay below S3's 1,024. */
const MAX_NAME = 80;
/** Bytes of a blob as UTF-8. Blobs are read whole. */
const MAX_BLOB_BYTES = 5_000_000;

/** The services of one call or source, except its files. All their requests end with `signal`. */
export function servicesFor(
  call: Rememberer,
  io: Pick<Ports, 'blobs' | 'egress' | 'memories' | 'clock'>,
  signal: AbortSignal,
): SourceServices {
  const { tenant, sessionId } = call;
  const { blobs, egress } = io;
  const keyOf = (name: string): string => {
    signal.throwIfAborted();
    if (name === '' || name.length > MAX_NAME)
      throw new Error(`the name of a blob has 1 to ${MAX_NAME} characters`);
    return blobKey(tenant, sessionId, 'files', name);
  };
  return {
    blobs: {
      async put(name, text) {
        const key = keyOf(name);
        if (text.length > MAX_BLOB_BYTES || byteLength(text) > MAX_BLOB_BYTES)
          throw new Error(`the blob ${name} has more than ${MAX_BLOB_BYTES} bytes`);
        await blobs.put(key, text.toWellFormed());
      },
      get: async (name) => blobs.get(keyOf(name)),
    },
    fetch: (url, init = {}) =>
      egress.fetch(url, { ...init, signal: init.signal ? AbortSignal.any([init.signal, signal]) : signal }),
    memory: memoryOf(call, io, signal),
  };
}
