import type { SessionKey } from '../../contract/session.ts';
import type { LaterAnswers } from '../ports/callbacks.ts';
import type { Clock, Ids } from '../ports/ports.ts';
import type { Awaits } from '../session/slots.ts';

/** How a call is to be answered later. */
export interface LaterOptions {
  /** Seconds until nobody is waited for any more: 1 to 2,592,000 (30 days), 86,400 (a day) when absent. */
  readonly expiresAfterSeconds?: number;
}

/** How a call is answered later: `POST` to `url`, with no other credential than the token in it. */
export interface Later {
  /** `https://…/callbacks/<token>`. Whoever has it can answer this call, once: it is a secret. */
  readonly url: string;
  /** The last part of the URL. */
  readonly token: string;
  /** ISO 8601: until then. */
  readonly expiresAt: string;
}

/** A question on its way to a person. */
export interface Asking {
  readonly question: string;
}

/** What a call needs of its step to be answered later. */
export interface Postponing {
  readonly key: SessionKey;
  /** Number of the slot that the reply is kept in. */
  readonly slot: number;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'next'>;
  readonly later: LaterAnswers;
  /** Aborted when the call is over, or must be. */
  readonly signal: AbortSignal;
  /** Resolves when the reply is kept that makes the call. */
  readonly slotKept: Promise<unknown>;
}

/** What one run of a call has asked for beyond its own time. */
export interface Beyond {
  /** What waits for what it was handed out. */
  readonly handed: Map<unknown, Awaits>;
  /** Those that were given out: nobody but the tool reads them. */
  readonly tokens: string[];
  /** Set when the reply could not be kept that makes the call: then it has no result, and its step comes to nothing. */
  lost?: { readonly error: unknown };
}

/** Asks a person, when the call ends with what this gives. */
export function askPerson(question: string, { handed }: Beyond): Asking {
  const asking = { question };
  handed.set(asking, { kind: 'person', question });
  return asking;
}
