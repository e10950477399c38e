import { aliveFor } from '../session/background.ts';
import { MAX_ALIVE, MAX_DEPTH } from '../session/parent.ts';
import type { Session } from '../session/session.ts';
import type { AskedAgent, ShapeWork } from '../session/shape-work.ts';
import type { InputTurn, Slot, ToolsSlot } from '../session/slots.ts';

/**
 * The facts that a shape decides by. Its work begins with the newest run that a message of a person has begun: a run that is retried goes on
 * with the work of the one before.
 *
 * @param slots of the conversation
 * @param input of the step
 */
export function shapeWork(
  slots: readonly Slot[],
  input: readonly InputTurn[],
  session: Pick<Session, 'version' | 'parent' | 'background' | 'run'>,
  isTextOnly: boolean,
): ShapeWork {
  const runId = session.run?.id;
  const known = slots.some((slot) => slot.runId === runId);
  const begins = input.some(isSaid) && !known ? slots.length : beginOf(slots);
  const own = slots.slice(begins);
  const { depth = 0, room = MAX_ALIVE } = session.parent ?? {};
  return {
    said: [...own.flatMap((slot) => (slot.kind === 'model' ? slot.input : [])), ...input]
      .filter(isSaid)
      .map(({ text }) => text),
    batches: own.flatMap((slot) => (slot.kind === 'tools' && !slot.made ? [askedIn(slot, runId)] : [])),
    slot: session.version,
    room: depth >= MAX_DEPTH ? 0 : room - aliveFor(session),
    ...(isTextOnly && { ends: true as const }),
  };
}

/** The place of the slot with which the newest work begins. */
function beginOf(slots: readonly Slot[]): number {
  let begins = 0;
  let before: string | undefined;
  for (const [at, slot] of slots.entries()) {
    if (slot.runId !== before && slot.kind === 'model' && slot.input.some(isSaid)) begins = at;
    before = slot.runId;
  }
  return begins;
}

const isSaid = ({ internal }: InputTurn): boolean => !internal;

const askedIn = ({ results, runId }: ToolsSlot, now: string | undefined): AskedAgent[] =>
  results.map(({ callId: id, name, outcome, content, json }) => ({
    ...{ id, name, outcome, content },
    ...(json && { json }),
    ...(runId !== now && { before: true as const }),
  }));
