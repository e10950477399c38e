import type { Omitted } from '../session/omitted.ts';
import type { InputTurn, ModelSlot, Slot } from '../session/slots.ts';

/**
 * The parts of a slot that the model does not read. `malformed`: its server accepts no request with them. `refused`: it does not
 * answer them.
 */
export interface Omission {
  readonly why: 'malformed' | 'refused';
  readonly input?: Which;
  readonly reply?: Which;
  readonly results?: Which;
  readonly media?: true;
}

/** Indexes, or all. */
type Which = ReadonlySet<number> | 'all';

export const isOmitted = (which: Which | undefined, at: number): boolean =>
  which === 'all' || which?.has(at) === true;

/** Slots that a model was asked with at once: those after the previous reply, up to its own reply. */
interface Turn {
  readonly slots: readonly Slot[];
  /** The slot that ends it; undefined for the open turn. */
  readonly end: ModelSlot | undefined;
}

/**
 * Parts of these slots that the model does not read, by slot number. A pure function of what is stored:
 *
 * - Parts that a later slot names (`ModelSlot.omitted`), as {@link decidedIn} says.
 * - Everything that was new in a turn which the server has refused to answer, since it would refuse it again. A retry sends it
 *   once more on purpose, and it stays if that was answered.
 *
 * @param input what the model is told now
 * @param runId the run that asks now; absent if none does
 */
export function omissionsIn(
  slots: readonly Slot[],
  input: readonly InputTurn[],
  runId: string | undefined,
): ReadonlyMap<number, Omission> {
  if (!slots.some(saysSo)) return none;
  const omissions = new Map<number, Omission>();
  const turns = turnsOf(slots);
  for (const { slots: asked, end } of turns)
    for (const one of decidedIn(asked, end?.runId ?? runId)) addTo(omissions, one);
  let again = input.some(isRetry);
  for (const turn of turns.toReversed()) {
    const refused = turn.end !== undefined && isRefused(turn.end);
    if (!turn.end) again ||= hasRetry(turn);
    else if (refused && !again) {
      for (const { kind, n } of turn.slots)
        omissions.set(n, kind === 'tools' ? refusedResults : refusedInput);
      again = false;
    } else again = hasRetry(turn);
  }
  return omissions;
}

const none: ReadonlyMap<number, Omission> = new Map();
const refusedInput: Omission = { why: 'refused', input: 'all' };
const refusedResults: Omission = { why: 'refused', results: 'all' };

const saysSo = (slot: Slot): boolean =>
  slot.kind === 'model' && (slot.omitted !== undefined || slot.unseen === true || isRefused(slot));

/** Whether the server has refused to answer the new parts of the turn that this slot ends. A refusal in words is an answer. */
export const isRefused = ({ reply, refused }: ModelSlot): boolean =>
  refused === true || (reply?.stop === 'refusal' && reply.content.length === 0);

const isRetry = ({ internal }: InputTurn): boolean => internal?.reason === 'retry';

const hasRetry = ({ slots }: Turn): boolean =>
  slots.some((slot) => slot.kind === 'model' && slot.input.some(isRetry));

function turnsOf(slots: readonly Slot[]): readonly Turn[] {
  const turns: Turn[] = [];
  let open: Slot[] = [];
  for (const slot of slots) {
    open.push(slot);
    if (slot.kind === 'tools' || !(slot.reply || slot.refused)) continue;
    turns.push({ slots: open, end: slot });
    open = [];
  }
  return [...turns, { slots: open, end: undefined }];
}

/** Slots since the last one that its server has answered. */
export function openTurn(history: readonly Slot[]): readonly Slot[] {
  const last = history.findLastIndex((slot) => slot.kind === 'model' && (slot.reply || slot.refused));
  return history.slice(last + 1);
}

/**
 * The parts that a run leaves out of the slots of one turn: those of its last try, since the ones before were refused. A run
 * that ended before it was answered counts with its media only, which are the likeliest to be refused again: its other tries
 * have proved nothing.
 *
 * @param runId the run that was answered, or asks now
 */
export function decidedIn(turn: readonly Slot[], runId: string | undefined): readonly Omitted[] {
  const tries = turn.flatMap((slot) => {
    const omitted = slot.kind === 'model' && omittedBy(slot, turn);
    return omitted ? [{ omitted, runId: slot.runId }] : [];
  });
  const last = tries.at(-1);
  if (!last || last.runId === runId) return last?.omitted ?? [];
  const isMedia = ({ omitted }: (typeof tries)[number]) =>
    omitted.length > 0 && omitted.every(({ part }) => part === 'media');
  return tries.findLast(isMedia)?.omitted ?? [];
}

/** Slots from before `omitted` mean the media of everything that was new. */
const omittedBy = (
  { n, omitted, unseen }: ModelSlot,
  turn: readonly Slot[],
): readonly Omitted[] | undefined =>
  omitted ?? (unseen && turn.filter((slot) => slot.n <= n).map((slot) => ({ slot: slot.n, part: 'media' })));

function addTo(omissions: Map<number, Omission>, { slot, part, at }: Omitted): void {
  const known = omissions.get(slot) ?? { why: 'malformed' };
  if (part === 'media') {
    omissions.set(slot, { ...known, media: true });
    return;
  }
  const before = known[part];
  const which = at === undefined || before === 'all' ? 'all' : new Set([...(before ?? []), ...at]);
  omissions.set(slot, { ...known, [part]: which });
}
