import type { AgUiEvent } from '../../../contract/events.ts';
import { toFolded } from '../../events/snapshot.ts';
import { charge } from '../../session/charge.ts';
import { totalsOf } from '../../session/cost.ts';
import { runOf, type Session, withRun } from '../../session/session.ts';
import type { FoldSlot } from '../../session/slots.ts';
import type { Draft } from '../draft.ts';
import { toUsageEvent } from '../model/account.ts';
import { untried, withinTimeout } from '../model/retry.ts';
import { keepSlots } from '../open/keep-slots.ts';
import { tellSnapshot } from '../open/snapshot.ts';
import type { Step, WritingPart } from '../open/step-context.ts';
import { adoptedTiming } from '../open/timing.ts';
import type { Vain } from './summary.ts';

/** The fold that a dead owner stored, unchanged: what was bought for it is not bought again. */
export async function adoptFold(
  step: WritingPart & Pick<Step, 'atCommit' | 'stream'>,
  slot: FoldSlot,
): Promise<Draft> {
  tellSnapshot(step, [], []);
  return keepFold(step, { ...slot, ...adoptedTiming(slot.at, step.loaded.timing) });
}

/**
 * Stores a fold and makes the new HEAD, which, except for the time, is a function of the session and the slot. The next
 * invocation, which also sees the inbox, decides what a cancel does to the run.
 *
 * @param vain a call for a summary that failed: its time, and what is `lost` in the slot
 */
export async function keepFold(
  step: Pick<Step, 'io' | 'kept' | 'loaded' | 'session'>,
  slot: FoldSlot,
  vain: Vain = { durationMs: 0 },
): Promise<Draft> {
  await keepSlots(step, [slot]);
  const { n, fold, lost } = slot;
  const bought = fold.summary && {
    model: fold.summary.model,
    call: totalsOf(fold.summary, fold.summary),
  };
  const paid = [lost, bought?.call].reduce<Session>((so, one) => (one ? charge(so, one) : so), step.session);
  const session = worked(paid, fold.summary?.durationMs ?? vain.durationMs);
  const run = runOf(session);
  const used = bought ?? vain.used;
  const spent = used ? [toUsageEvent(session, slot.step, used.model, used.call)] : [];
  const told: AgUiEvent = { type: 'CUSTOM', name: 'steploop.folded', value: toFolded(slot) };
  return {
    session: {
      ...withRun(session, { folds: run.folds + 1, ...untried, failingSince: 0 }),
      version: n + 1,
      contextStart: fold.start,
      fold: { slot: n, at: step.io.clock.now(), ...refusalsOf(step.session) },
      mustFold: undefined,
    },
    incorporated: [],
    spoken: [],
    events: [...spent, told],
    ending: { kind: 'leave', ...(vain.waitMs && { delayMs: waitOf(step, vain.waitMs) }) },
  };
}

/** The model is asked next, so the wait that its server asked for applies as after any failure. */
const waitOf = ({ loaded, io, session }: Pick<Step, 'loaded' | 'io' | 'session'>, waitMs: number): number =>
  withinTimeout(waitMs, runOf(session), loaded.pinned, io.clock.now());

/** The session with this many more ms of work. */
export const worked = (session: Session, ms: number): Session =>
  withRun(session, { activeMs: runOf(session).activeMs + ms });

/** Refusals are counted until the model replies. */
function refusalsOf({ mustFold, fold }: Session): { refusals?: number } {
  const refusals = mustFold?.refusals || fold?.refusals;
  return refusals ? { refusals } : {};
}
