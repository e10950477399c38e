import type { FoldReason } from '../../../contract/events.ts';
import type { Asked } from '../../context/asked.ts';
import { limitOf, sizeOf } from '../../context/size.ts';
import { readOnce } from '../../plain/read-once.ts';
import { runOf } from '../../session/session.ts';
import type { Draft } from '../draft.ts';
import type { Admitted } from '../model/preflight.ts';
import { askedIn, hasNothingToAsk } from '../model/turn.ts';
import type { Step } from '../open/step-context.ts';

/**
 * Makes the model's context smaller when it must be, or is about to be too long: that is all that its step does then. Undefined
 * when the model can be asked.
 */
export async function foldIfFull(step: Step, admitted: Admitted): Promise<Draft | undefined> {
  const due = dueFor(step);
  const why = due === 'if_no_room' ? await dueForRoom(step) : due;
  return why && (await readFolding()).fold(step, admitted, why);
}

/** Reads what folds, once in a process. Few steps do, so no cold start reads it. */
export const readFolding = readOnce(() => import('./fold.ts'));

/** Why the step must fold (H13, T28); `if_no_room` where what is shown has to be counted first. */
function dueFor(step: Step): FoldReason | 'if_no_room' | undefined {
  const { session, loaded } = step;
  const { strategy } = loaded.pinned.guardrails.context;
  const { mustFold } = session;
  if (mustFold && (strategy !== 'none' || mustFold.why === 'thinking')) return mustFold.why;
  if (strategy === 'none' || strategy === 'server') return undefined;
  const asked = askedIn(step);
  if (hasNothingToAsk(step, { input: asked.waiting })) return undefined;
  if (sizeOf(asked) > mostOf(step)) return 'size';
  return showsMedia(asked) ? 'if_no_room' : undefined;
}

/** Tokens above which a step folds. */
function mostOf({ session, loaded, io }: Step): number {
  const { foldAt, hardAt, cooldownSeconds } = loaded.pinned.guardrails.context;
  const { fold } = session;
  const cools = fold !== undefined && io.clock.now() < fold.at + cooldownSeconds * 1000;
  return limitOf(loaded.pinned, runOf(session).fallback) * (cools ? hardAt : foldAt);
}

/** Whether anything was sent in the context that may have to be shown. */
function showsMedia({ slots, waiting }: Asked): boolean {
  const isSent = ({ attachments }: { readonly attachments?: unknown }) => attachments !== undefined;
  return (
    waiting.some(isSent) ||
    slots.some((slot) => (slot.kind === 'tools' ? slot.results : slot.input).some(isSent))
  );
}

/** A request has room for so many images and documents, and so many bytes of them. */
const dueForRoom = async (step: Step): Promise<FoldReason | undefined> =>
  (await readRoom()).fullness(0, askedIn(step)) > mostOf(step) ? 'size' : undefined;

/** Reads what counts the room of a request, once in a process: few sessions show anything. */
export const readRoom = readOnce(() => import('../../context/room.ts'));
