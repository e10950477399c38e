import type { Memory, Rememberer } from '../memories/memory.ts';
import { memoryOf } from '../memories/open.ts';
import { blobKey } from '../plain/blob-key.ts';
import type { EgressInit } from '../ports/egress.ts';
import type { Ports } from '../ports/ports.ts';
import type { Task } from '../session/tasks.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** What the deployment does for tools, the same in a step and from the queue. */
export interface ToolServices extends SourceServices {
  /** The session's files (docs/workspace.md). What a call writes counts when it ends well, and later calls see it then. */
  readonly workspace: Workspace;
  /** The session's list of tasks (T32). For tools that run in their step: from the queue it cannot be changed. */
  readonly tasks: TaskBoard;
}

/** The tasks of a session, as a call finds them, and as it leaves them when it ends well. */
export interface TaskBoard {
  list(): readonly Task[];
  /** Throws where the list cannot be changed. */
  keep(tasks: readonly Task[]): void;
}

/** What it does for sources, before there is a call. */
export interface SourceServices {
  /** Texts of this session, by name. */
  readonly blobs: SessionBlobs;
  /**
   * As the platform's `fetch`, to public addresses only, each redirect looked at; up to 5 MB in 30 s unless `init` says
   * otherwise. It ends with the call's signal. What a model has chosen is fetched with this and with nothing else.
   */
  readonly fetch: (url: string | URL, init?: EgressInit) => Promise<Response>;
  /** What agents know in later sessions: facts of the person who asks, and of the tenant (docs/memory.md). */
  readonly memory: Memory;
}

/** Texts that a session's tools keep for one another. No other session has them, nor another tenant. */
export interface SessionBlobs {
  /** Keeps a text under a name, in place of the one before. */
  put(name: string, text: string): Promise<void>;
  /** Undefined when nothing was put under this name. */
  get(name: string): Promise<string | undefined>;
}

/** Characters of a blob's name. Its key, in which each may become nine bytes, must stay below S3's 1,024. */
const MAX_NAME = 80;
/** Bytes of a blob as UTF-8. It is read whole. */
const MAX_BLOB_BYTES = 5_000_000;

/** The services of one call or source, but for its files. All that is asked of them ends with `signal`. */
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
        if (text.length > MAX_BLOB_BYTES || utf8.encode(text).length > MAX_BLOB_BYTES)
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

const utf8 = new TextEncoder();
