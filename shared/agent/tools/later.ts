import type { SessionKey } from '../../contract/session.ts';
import type { LaterAnswers } from '../ports/callbacks.ts';
import type { Clock, Ids } from '../ports/ports.ts';
import type { Awaits } from '../session/slots.ts';

/** How a call is to be answered later. */
export interface LaterOptions {
  /** Seconds until the wait ends: 1 to 2,592,000 (30 days), 86,400 (a day) when absent. */
  readonly expiresAfterSeconds?: number;
}

/** How a call rests until a moment. */
export interface TimerOptions {
  /** IANA name of the zone in which people and the model are told the time; UTC when absent. */
  readonly zone?: string;
  /** The purpose of the wait, for people. */
  readonly reason?: string;
}

/** A moment that a call waits for. */
export interface Timer {
  /** ISO 8601. */
  readonly until: string;
}

/** How a call is answered later: `POST` to `url`, with no other credential than the token in it. */
export interface Later {
  /** `https://…/callbacks/<token>`. Anyone who has it can answer this call, once, so it is a secret. */
  readonly url: string;
  /** The last part of the URL. */
  readonly token: string;
  /** ISO 8601: the URL is valid until then. */
  readonly expiresAt: string;
}

/** A question on its way to a person. */
export interface PersonQuestion {
  readonly question: string;
}

/** The parts of its step that a call needs to be answered later. */
export interface Postponing {
  readonly key: SessionKey;
  /** Number of the slot that the reply is stored in. */
  readonly slot: number;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'next'>;
  readonly later: LaterAnswers;
  /** Aborted when the call is over, or must be. */
  readonly signal: AbortSignal;
  /** Resolves when the reply that makes the call is stored. */
  readonly slotKept: Promise<unknown>;
}

/** Requests of one run of a call that go beyond its own time. */
export interface Beyond {
  /** The waits, by the objects that the tool was handed for them. */
  readonly handed: Map<unknown, Awaits>;
  /** The tokens that were given out: only the tool reads them. */
  readonly tokens: string[];
  /** The secrets that the call has read: nothing that is told of it contains them. */
  readonly secrets: string[];
  /** Set if the reply that makes the call could not be stored: then the call has no result, and its step fails. */
  lost?: { readonly error: unknown };
}

/** Asks a person, if the call ends by returning this. */
export function askPerson(question: string, { handed }: Beyond): PersonQuestion {
  const asking = { question };
  handed.set(asking, { kind: 'person', question });
  return asking;
}
