import type { Totals } from '../../contract/session.ts';
import type { Speaker } from './caller.ts';

/** The call that a session works for: it was begun by it, and its first end answers it (docs/children.md). */
export interface ParentCall {
  /** The session that makes the call, of the same tenant. */
  readonly sessionId: string;
  /** Number of the slot whose reply makes it. */
  readonly slot: number;
  readonly callId: string;
  /** The tool. */
  readonly name: string;
  /** Id of its answer, and of the wait for it. */
  readonly id: string;
  /** Its level in the tree: 1 for a child of a session that was begun from outside. */
  readonly depth: number;
  /** Sessions that may be alive below this one, at any level. */
  readonly room: number;
  /** Its limits; absent if nothing in the tree above it is limited. */
  readonly cap?: Cap;
  /** Epoch ms from which on it sums up, since its time is almost over. Absent on sessions of older versions. */
  readonly wrapUpAt?: number;
  /** Set if the call has its result already, and the session's end is reported to its parent as a message. */
  readonly background?: {
    /** Epoch ms from which on its run is stopped. */
    readonly until: number;
  };
}

/** The limits of a child. A limit that is absent does not exist. */
export interface Cap {
  /** Input and output tokens. */
  readonly tokens?: number;
  readonly usd?: number;
}

/** The child that a call has begun, as its result tells. */
export interface ChildOfCall {
  readonly sessionId: string;
  /** The use of its run so far, with that of its own children. */
  readonly used?: Totals;
  /** The people whose words its run has read: those of its parent's run, and others who have answered its questions. */
  readonly speakers?: readonly Speaker[];
  /** Short keys of its last reads, to compare with those of its siblings (`guardrails/loops/siblings.ts`). Absent if there are none. */
  readonly reads?: readonly string[];
  /** Set if it works on in the background when its call has its result. */
  readonly background?: BackgroundChild;
}

/** A session that works in the background, as its parent remembers it until its report has come. */
export interface BackgroundChild extends Pick<ParentCall, 'callId' | 'name' | 'id' | 'room' | 'cap'> {
  readonly sessionId: string;
  /** Epoch ms from which on its run is stopped. */
  readonly until: number;
}

/** Levels of a tree below the session that was begun from outside. */
export const MAX_DEPTH = 3;
/** Sessions that one reply may begin. */
export const MAX_CHILDREN = 8;
/** Sessions of one tree that may be alive beside the session that was begun from outside. */
export const MAX_ALIVE = 32;

/** Runs in a row that may be begun by reports alone and still begin sessions in the background. */
export const MAX_UNPROMPTED = 8;

/** The id of the session that a call begins: the same for each attempt at the call, and for no other call. */
export const childIdOf = (id: string): string => `c${id}`;
