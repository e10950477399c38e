/** Invariants of a rate limit that all hosts share: 37. */

import type { Sign } from '../../../shared/edge/signs.ts';
import type { Checks } from '../ledger.ts';
import type { Heard } from '../signs.ts';

/** A sign stands for so long at most, and for so long at least where a server does not say for how long, in ms. */
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
  '37 who was refused asks when the limit is over': ({ host, now, heard }) =>
    now < heard.refused ? `${host} asks ${heard.refused - now} ms too early` : undefined,

  '37 who was told asks when the limit is over': ({ host, now, heard }) =>
    now < heard.told ? `${host} asks ${heard.told - now} ms too early` : undefined,
};

/** A host whose model was refused, when it commits. */
export interface Telling {
  readonly host: string;
  /** Epoch ms of the refusal. */
  readonly failedAt: number;
  /** What its group was last told. */
  readonly sign: Sign | undefined;
}

export const tellingChecks: Checks<Telling> = {
  '37 who is refused tells the others': ({ host, failedAt, sign }) =>
    sign && sign.until >= failedAt ? undefined : `${host} was refused, and its group was not told`,
};
