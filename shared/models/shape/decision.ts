import type { AskedAgent } from '../../agent/session/shape-work.ts';

/** A task for an agent. */
export interface Asking {
  /** The agent's tool. */
  readonly name: string;
  readonly task: string;
  /** Its place in the shape: the item of a map, the stage of a pipeline. From 0. */
  readonly place: number;
}

/** The next step of a shape. */
export type Decision =
  | { readonly kind: 'ask'; readonly asks: readonly Asking[] }
  /** It is done: its report. */
  | { readonly kind: 'report'; readonly text: string }
  /** It cannot be done: the run ends as failed. */
  | { readonly kind: 'fail'; readonly code: string; readonly message: string };

/** The answer of an agent, or why there is none. */
export interface Came extends AskedAgent {
  readonly place: number;
}

/** Ids of calls have the place at their end, so a reply can be matched with its places again. */
export const callIdOf = (slot: number, place: number): string => `s${slot}_${place}`;

const placeIn = (id: string): number => Number(id.slice(id.lastIndexOf('_') + 1));

/**
 * The last answer for each place. A run that goes on with the work of an earlier one asks those again that have not answered then.
 */
export function cameIn(batches: readonly (readonly AskedAgent[])[]): ReadonlyMap<number, Came> {
  const all = batches.flat().filter(({ before, outcome }) => !before || outcome === 'ok');
  return new Map(all.map((one) => [placeIn(one.id), { ...one, place: placeIn(one.id) }]));
}

/**
 * Why no further agent is asked: none of the last reply was let begin, because of a policy, a person or a spent budget. Others
 * would be refused, too.
 */
export function refusedIn(batches: readonly (readonly AskedAgent[])[]): string | undefined {
  const last = batches.at(-1) ?? [];
  const [first] = last;
  return first && !first.before && last.every(({ outcome }) => outcome === 'refused')
    ? first.content
    : undefined;
}

export const fails = (code: string, message: string): Decision => ({ kind: 'fail', code, message });

/** A shape that may begin no session: it is too deep in its tree, or the tree is full. */
export const noRoom = (): Decision =>
  fails(
    'no_room',
    'no more agents may be at work below this one: ask it from a session higher up, or ask fewer agents in one reply.',
  );
