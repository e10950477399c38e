import type { FoldReason } from '../../../contract/events.ts';
import type { ContextInputs } from '../../context/asked.ts';
import { limitOf, sizeOf } from '../../context/size.ts';
import { readOnce } from '../../plain/read-once.ts';
import { runOf } from '../../session/session.ts';
import type { Draft } from '../draft.ts';
import type { Admitted } from '../model/preflight.ts';
import { askedIn, hasNothingToAsk } from '../model/turn.ts';
import type { SessionPart, Step } from '../open/step-context.ts';

/**
 * Folds the model's context if it must, or if the context is about to be too long. The step then does nothing else. Undefined
 * when the model can be asked.
 */
export async function foldIfFull(step: Step, admitted: Admitted): Promise<Draft | undefined> {
  const due = dueFor(step);
  const why = due === 'if_no_room' ? await dueForRoom(step) : due;
  return why && (await readFolding()).fold(step, admitted, why);
}

/** Loads the code that folds. Few steps fold, so no cold start loads it. */
export const readFolding = readOnce(() => import('./fold.ts'));

/** Why the step must fold; `if_no_room` if media have to be counted first. */
function dueFor(step: SessionPart & Pick<Step, 'io'>): FoldReason | 'if_no_room' | undefined {
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
function mostOf({ session, loaded, io }: Pick<Step, 'session' | 'loaded' | 'io'>): number {
  const { foldAt, hardAt, cooldownSeconds } = loaded.pinned.guardrails.context;
  const { fold } = session;
  const cools = fold !== undefined && io.clock.now() < fold.at + cooldownSeconds * 1000;
  return limitOf(loaded.pinned, runOf(session).fallback) * (cools ? hardAt : foldAt);
}

/** Whether the context has any media that may have to be shown. */
function showsMedia({ slots, waiting }: ContextInputs): boolean {
  const isSent = ({ attachments }: { readonly attachments?: unknown }) => attachments !== undefined;
  return (
    waiting.some(isSent) ||
    slots.some((slot) => (slot.kind === 'tools' ? slot.results : slot.input).some(isSent))
  );
}

/** A request has room for a limited number of images and documents, and a limited number of their bytes. */
const dueForRoom = async (step: SessionPart & Pick<Step, 'io'>): Promise<FoldReason | undefined> =>
  (await readRoom()).fullness(0, askedIn(step)) > mostOf(step) ? 'size' : undefined;

/** Loads the code that counts the room of a request: few sessions have media. */
export const readRoom = readOnce(() => import('../../context/room.ts'));
