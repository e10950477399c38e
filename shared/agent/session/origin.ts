/**
 * What a session shares with the one that it was forked from. Slots are immutable, so a fork copies none: it names them
 * (docs/adr/0037-forks.md).
 */

/** Slots that lie in another session of the same tenant. */
export interface Share {
  readonly sessionId: string;
  /** Those below this one, and not below the share before: of which that one says where they lie. */
  readonly below: number;
  /** Names the packs of that session (`Packed.id`); absent when it had none. */
  readonly packs?: string;
}

/** A session, as far as it is a fork of others. */
export interface Forked {
  /**
   * Where its first slots lie, and what came with them: oldest first. Absent when it has all of its own. The last session of these notes
   * that it has this fork (`SessionStore.addFork`).
   */
  readonly origin?: readonly Share[] | undefined;
  /** Which session it was forked from, and how many slots of it were its own then; for people. */
  readonly forkOf?: { readonly sessionId: string; readonly below: number } | undefined;
}

/** The first slot that lies in the session itself: 0 for one that was not forked. */
export const ownStart = ({ origin }: Pick<Forked, 'origin'>): number => origin?.at(-1)?.below ?? 0;
