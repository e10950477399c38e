import { GRAVE_MS } from './graves.ts';

/** A person of a tenant, by the subject of their credential (`user:ada`, `slack:T0123456:U0123456`). */
export interface Person {
  readonly tenant: string;
  readonly user: string;
}

/** How far the deletion of a person's data has got. It is stored, so that any sweep can continue. */
export interface Progress {
  /** The walk over the tenant's lists that is under way: when it began, what it has found, and where it continues. */
  readonly walk?: { readonly begunAt: number; readonly found: number; readonly after?: string };
  /** Epoch ms at which the last whole walk began, if it found no further session. */
  readonly cleanAt?: number;
  /** Epoch ms of the request, or of the last walk that found a session. */
  readonly foundAt: number;
  /** Found sessions of which something is still stored, as of the last sweep. */
  readonly left: number;
  /** Deleted sessions of which only the tombstone is left, likewise. */
  readonly waiting: number;
  /** Deleted sessions of which not even the tombstone is left. */
  readonly sessions: number;
  /** Deleted facts. If a sweep dies, those that it has deleted are not counted. */
  readonly memories: number;
  /** Deleted uploads of the last day; counted likewise. */
  readonly uploads: number;
}

/** The deletion of a person's data, as it is stored. */
export interface Erasure {
  readonly person: Person;
  /** Epoch ms. */
  readonly requestedAt: number;
  /** Epoch ms at which a sweep handles it. It also decides which sweep may: see {@link People.move}. */
  readonly at: number;
  readonly progress: Progress;
}

/** The record of the deletion of a person's data. After its end it does not name the person. */
export interface ErasureRecord extends Pick<Erasure, 'requestedAt' | 'progress'> {
  /** Epoch ms; absent while it is under way. */
  readonly doneAt?: number;
}

/** A session that is deleted with a person's data. */
export interface Noted {
  readonly sessionId: string;
  /** `open`: it is still to be deleted. `buried`: its data is being deleted. `erased`: only its tombstone is left. */
  readonly state: 'open' | 'buried' | 'erased';
  /** Epoch ms at which it was deleted; absent while it is open. */
  readonly buriedAt?: number;
}

export const newProgress = (now: number): Progress => ({
  ...{ foundAt: now, left: 0, waiting: 0, sessions: 0, memories: 0, uploads: 0 },
});

/** `erasing`: something that was found is still stored. `erased`: nothing is, and late writes are awaited. `done`: nothing can come. */
export function stateOf({ doneAt, progress }: ErasureRecord): 'erasing' | 'erased' | 'done' {
  if (doneAt !== undefined) return 'done';
  return progress.cleanAt !== undefined && progress.left === 0 ? 'erased' : 'erasing';
}

/** Epoch ms after which no process is left that could still write data of the person from before {@link Progress.foundAt}. */
export const quietFrom = ({ foundAt }: Progress): number => foundAt + GRAVE_MS;

/**
 * Deletions of people's data (docs/retention.md). Each is an item of its own, with a note for each session that it deletes, so
 * that the next sweep continues one that dies anywhere. Rejects if the table cannot be reached; each operation may be repeated.
 */
export interface People {
  /** Begins a deletion, unless one is under way: then it is returned unchanged. */
  begin(person: Person, now: number): Promise<Erasure>;
  read(person: Person): Promise<ErasureRecord | undefined>;
  /** Deletions that are due for a sweep at `now`, a page at a time. May be out of date: `move` decides. */
  due(now: number): AsyncIterable<readonly Erasure[]>;
  /**
   * Sets when it is handled next, and how far it is, unless another process has done so since it was read. Then the result is
   * undefined.
   */
  move(erasure: Erasure, at: number, progress?: Progress): Promise<Erasure | undefined>;
  /** Ends it, unless another process has moved it since. Its record stays for 30 days, without the name of the person. */
  finish(erasure: Erasure, now: number): Promise<void>;
  /** Notes a session that is to be deleted; `known` if it had been noted. */
  note(person: Person, sessionId: string): Promise<'new' | 'known'>;
  /** All notes, strongly consistent. */
  noted(person: Person): Promise<readonly Noted[]>;
  mark(person: Person, noted: Noted): Promise<void>;
  /** Removes a note. */
  strike(person: Person, sessionId: string): Promise<void>;
}
