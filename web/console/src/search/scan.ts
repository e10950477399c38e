import { isFinal, ProblemError, type SessionRow, type SnapshotMessage } from '../../../client/index.ts';
import { type Match, matchesIn } from './match.ts';

/** A session with matches. */
export interface Hit {
  readonly row: SessionRow;
  readonly matches: readonly Match[];
}

/** How far a search has come. */
export interface Scanned {
  /** Ids of the sessions that were handled: read in full, or unreadable. */
  readonly handled: ReadonlySet<string>;
  /** Sessions that could not be read, by id. */
  readonly unread: readonly string[];
  readonly hits: readonly Hit[];
  /** ISO 8601: the earliest last activity of a handled session. */
  readonly back?: string;
  /** Where the search goes on; undefined at its beginning. */
  readonly cursor?: string;
  /** There are no more sessions. */
  readonly isAtEnd: boolean;
}

/** Before the first session. */
export const nothingScanned: Scanned = { handled: new Set(), unread: [], hits: [], isAtEnd: false };

interface ScanRun {
  /** A page of sessions, most recently active first. */
  readonly list: (
    cursor: string | undefined,
  ) => Promise<{ sessions: readonly SessionRow[]; next?: string | undefined }>;
  readonly read: (sessionId: string) => Promise<readonly SnapshotMessage[]>;
  readonly pattern: RegExp;
  readonly onProgress: (scanned: Scanned) => void;
  /** When it aborts, no further session is read. */
  readonly signal: AbortSignal;
  /** Waits before another attempt, in ms, or until `signal` aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Sessions at a time: a search must not use up the tenant's requests. */
const AT_ONCE = 3;
/** Sessions that a search handles before it asks whether to go on. */
export const BATCH = 200;
/** Ms before each further attempt of a request that a retry may help. */
const PAUSES = [1_000, 3_000, 9_000];

/**
 * Goes on with a search, most recently active sessions first, until it has handled {@link BATCH} more, up to the end of
 * a page. After an abort it can go on from where it was. Rejects if sessions cannot be listed.
 */
export async function scan(from: Scanned, run: ScanRun): Promise<Scanned> {
  let state = from;
  const most = from.handled.size + BATCH;
  while (!state.isAtEnd && state.handled.size < most && !run.signal.aborted) {
    const { sessions, next } = await patiently(() => run.list(state.cursor), run);
    state = await readAll(sessions, state, run);
    // The rest of the page is for the next time.
    if (sessions.some(({ sessionId }) => !state.handled.has(sessionId))) break;
    state = { ...state, ...(next !== undefined && { cursor: next }), isAtEnd: next === undefined };
    run.onProgress(state);
  }
  return state;
}

async function readAll(rows: readonly SessionRow[], from: Scanned, run: ScanRun): Promise<Scanned> {
  let state = from;
  // A session that moves while pages are read is on two of them.
  const left = rows.filter(({ sessionId }) => !from.handled.has(sessionId));
  const work = async () => {
    for (let row = left.shift(); row && !run.signal.aborted; row = left.shift()) {
      const matches = await matchesOf(row, run);
      const { sessionId, movedAt } = row;
      state = {
        ...state,
        handled: new Set([...state.handled, sessionId]),
        ...(matches === undefined && { unread: [...state.unread, sessionId] }),
        ...(matches && matches.length > 0 && { hits: [...state.hits, { row, matches }] }),
        back: state.back !== undefined && state.back < movedAt ? state.back : movedAt,
      };
      run.onProgress(state);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return state;
}

/** The matches in a session; undefined if it cannot be read. */
async function matchesOf(row: SessionRow, run: ScanRun): Promise<Match[] | undefined> {
  try {
    return matchesIn(run.pattern, row, await patiently(() => run.read(row.sessionId), run));
  } catch {
    return undefined;
  }
}

async function patiently<Value>(
  request: () => Promise<Value>,
  { signal, pause }: Pick<ScanRun, 'signal' | 'pause'>,
): Promise<Value> {
  for (const ms of PAUSES) {
    try {
      return await request();
    } catch (error) {
      if (signal.aborted || (error instanceof ProblemError && isFinal(error.problem))) throw error;
      await pause(ms, signal);
    }
  }
  return request();
}
