/**
 * The slots that a session shares with the one that it was forked from. Slots are immutable, so a fork does not copy them: it
 * names them (docs/adr/0037-forks.md).
 */

/** Slots that are stored in another session of the same tenant. */
export interface Share {
  readonly sessionId: string;
  /** Slots below this one, from the `below` of the previous share on. */
  readonly below: number;
  /** Names the packs of that session (`Packed.id`); absent if it had none. */
  readonly packs?: string;
}

/** The part of a session that says what it was forked from. */
export interface Forked {
  /**
   * Where its first slots are stored, and their attachments: oldest first. Absent if all slots are its own. The last session of
   * these records this fork (`SessionStore.addFork`).
   */
  readonly origin?: readonly Share[] | undefined;
  /** The session that it was forked from, and how many slots it shared then; for people. */
  readonly forkOf?: { readonly sessionId: string; readonly below: number } | undefined;
  /** Hash of the request that forked it, which a repetition under the same key must equal. */
  readonly forkAsked?: string | undefined;
}

/** The first slot that is stored in the session itself: 0 if it was not forked. */
export const ownStart = ({ origin }: Pick<Forked, 'origin'>): number => origin?.at(-1)?.below ?? 0;
