/** Invariants of a rate limit that all hosts share: 37. */

import type { Sign } from '../../../shared/edge/signs.ts';
import type { Checks } from '../ledger.ts';
import type { Heard } from '../signs.ts';

/** Maximum lifetime of a sign in ms, and the default if a server does not say for how long. */
export const LONGEST_MS = 60_000;
export const LEAST_OWN_MS = 5_000;

/** A host that asks its model. */
export interface Asking {
  readonly host: string;
  /** By its own clock. */
  readonly now: number;
  readonly heard: Heard;
}

export const askingChecks: Checks<Asking> = {
  '37 a refused host asks again only when the limit is over': ({ host, now, heard }) =>
    now < heard.refused ? `${host} asks ${heard.refused - now} ms too early` : undefined,

  '37 a host that was told asks again only when the limit is over': ({ host, now, heard }) =>
    now < heard.told ? `${host} asks ${heard.told - now} ms too early` : undefined,
};

/** A host whose model was refused, when it commits. */
export interface Telling {
  readonly host: string;
  /** Epoch ms of the refusal. */
  readonly failedAt: number;
  /** The last sign of its group. */
  readonly sign: Sign | undefined;
}

export const tellingChecks: Checks<Telling> = {
  '37 a refused host tells the others': ({ host, failedAt, sign }) =>
    sign && sign.until >= failedAt ? undefined : `${host} was refused, and its group was not told`,
};
