/**
 * When and by whom a message was sent. It is computed once, from the message's own event, and stored in its turn, so that a
 * model reads the same text in every later request, whatever time zone data a later deployment has.
 */

import { defined } from '../plain/defined.ts';
import { plainName } from '../plain/plain-name.ts';
import { localTime } from '../plain/zones.ts';
import type { CallerFacts } from './caller.ts';

/** The form in which a turn stores it. */
export interface SentFacts {
  /** Epoch ms at which the message was accepted. */
  readonly at: number;
  /** The same in `zone`: `2026-11-27T00:30`. */
  readonly local: string;
  /** IANA name of the sender's time zone, or otherwise the agent's. */
  readonly zone: string;
  /** Absent if the sender is not known. */
  readonly by?: SaidBy;
}

/** The sender of a message, as a model may be told. */
export interface SaidBy {
  /** See `Caller.subject`. */
  readonly subject: string;
  readonly kind?: CallerFacts['kind'];
  /** A person's or key's name, as the verified credential or Slack gives it; a webhook's source, or a schedule's id. One line, without brackets and quotes. */
  readonly name?: string;
  readonly roles?: readonly string[];
}

/** Roles that a model is told, and characters of one. */
const MAX_ROLES = 3;
const MAX_ROLE = 40;

/** The parts of an inbox event that say when and by whom. */
interface Heard {
  readonly at: number;
  readonly by?: string;
  readonly caller?: CallerFacts;
}

/** @param zone used if the sender's is not known */
export function saidOf({ at, by, caller }: Heard, zone: string): SentFacts {
  const theirs = caller?.zone ?? zone;
  return { at, local: localTime(at, theirs), zone: theirs, ...(by && { by: speakerOf(by, caller) }) };
}

function speakerOf(subject: string, caller: CallerFacts | undefined): SaidBy {
  const { kind, name: given = '', roles = [] } = caller ?? {};
  const isMachine = kind === 'webhook' || kind === 'schedule';
  const name = isMachine ? plainName(subject.replace(/^(webhook|schedule):/, '')) : plainName(given);
  const told = roles
    .slice(0, MAX_ROLES)
    .map((role) => plainName(role, MAX_ROLE))
    .filter(Boolean);
  return {
    subject: plainName(subject),
    ...defined({ kind }),
    ...(name && { name }),
    ...(told.length > 0 && { roles: told }),
  };
}
