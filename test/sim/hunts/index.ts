import { foldEnd, foldStop, lostAsk, packEnd } from './folds.ts';
import type { Hunt, Means } from './hunt.ts';
import { deadClaim, halfDone, lateFence, silentEnd, standsStill, stop, unheard, zombie } from './owners.ts';
import { gap, lateClaim, lateLogs, lateMade, lateTwins, orphan, twoReplies } from './slots.ts';
import { deadCall, frozenWorker, lateBegin, lostLast, stopCommit } from './waits.ts';

/** Narrow gaps that are sought on purpose (docs/promises.md). */
export const hunts = {
  foldEnd,
  foldStop,
  lostAsk,
  packEnd,
  stopCommit,
  frozenWorker,
  lostLast,
  deadCall,
  lateBegin,
  stop,
  standsStill,
  deadClaim,
  lateClaim,
  lateFence,
  zombie,
  silentEnd,
  unheard,
  halfDone,
  lateLogs,
  lateMade,
  orphan,
  twoReplies,
  lateTwins,
  gap,
} as const satisfies Record<string, (means: Means) => Hunt>;

export type HuntName = keyof typeof hunts;
