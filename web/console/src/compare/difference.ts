import type { StepDetails } from '../../../client/index.ts';
import type { Pair } from './pairs.ts';

/** The first place at which two sides differ. */
export interface Difference {
  /** From 0. */
  readonly index: number;
  readonly what: string;
  /** Undefined if that side has nothing there. */
  readonly left: string | undefined;
  readonly right: string | undefined;
}

/** A part of a step that can differ. */
interface Part {
  readonly what: string;
  readonly text: string;
}

/** How far a comparison has come. */
export type Found =
  | { readonly kind: 'different'; readonly difference: Difference }
  /** All pairs are equal. */
  | { readonly kind: 'equal' }
  /** This many pairs are equal; the others were not compared. */
  | { readonly kind: 'unknown'; readonly compared: number };

/** Pairs whose details are read: two requests each. */
export const MOST_READ = 60;

/**
 * Finds the first difference between two sides. Steps that both share are not read.
 *
 * @param read reads a step by its side and slot
 */
export async function firstDifference(
  pairs: readonly Pair[],
  read: (side: 'left' | 'right', slot: number) => Promise<StepDetails>,
): Promise<Found> {
  let reads = 0;
  for (const [index, { left, right, isShared }] of pairs.entries()) {
    if (isShared) continue;
    const [a, b] = [left?.slots[0], right?.slots[0]];
    if (!left || !right)
      return { kind: 'different', difference: { index, what: 'Step', left: left?.text, right: right?.text } };
    // A step without a slot has no reply yet, or none that was kept.
    if (a === undefined || b === undefined) continue;
    if (reads === MOST_READ) return { kind: 'unknown', compared: index };
    reads += 1;
    const [one, other] = await Promise.all([read('left', a), read('right', b)]);
    const difference = differenceOf(partsOf(one), partsOf(other));
    if (difference) return { kind: 'different', difference: { index, ...difference } };
  }
  return { kind: 'equal' };
}

/** Sections are compared one after the other, so a part that one side lacks does not shift the next section. */
function differenceOf(
  left: readonly (readonly Part[])[],
  right: readonly (readonly Part[])[],
): Omit<Difference, 'index'> | undefined {
  for (let section = 0; section < Math.max(left.length, right.length); section++) {
    const [ours, theirs] = [left[section] ?? [], right[section] ?? []];
    for (let i = 0; i < Math.max(ours.length, theirs.length); i++) {
      const [one, other] = [ours[i], theirs[i]];
      if (one?.what === other?.what && one?.text === other?.text) continue;
      const names = [...new Set([one, other].flatMap((part) => (part ? [part.what] : [])))];
      return { what: names.join(' / '), left: one?.text, right: other?.text };
    }
  }
  return undefined;
}

/** The parts of a step in order, by section, without ids and times, which differ always. Pure. */
export const partsOf = ({ input, content, summary, results, info }: StepDetails): Part[][] => [
  input.map(({ text, internal }) => ({
    what: internal ? `Added by the system: ${internal}` : 'New in the request',
    text,
  })),
  info.model === undefined ? [] : [{ what: 'Model', text: info.model }],
  content.map(blockPart),
  summary === undefined ? [] : [{ what: 'Summary', text: summary }],
  results.map(({ name, outcome, content: text }) => ({
    what: `Result of ${name}`,
    text: outcome === 'ok' ? text : `${outcome}: ${text}`,
  })),
];

function blockPart(block: StepDetails['content'][number]): Part {
  if (block.type === 'text') return { what: 'Reply', text: String(block.text) };
  if (block.type === 'tool_use')
    return { what: `Call of ${String(block.name)}`, text: JSON.stringify(block.input, null, 2) };
  const { id, signature, ...rest } = block;
  return { what: `Reply: ${block.type}`, text: JSON.stringify(rest, null, 2) };
}
