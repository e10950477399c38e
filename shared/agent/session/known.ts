/** Events whose items are marked done, and which HEAD still knows. */
export interface Known {
  readonly ids: readonly string[];
  /** Epoch ms at which the last of them came to it. */
  readonly at: number;
}

/**
 * How long HEAD knows an event after its item was marked done, in ms. A request that tells HEAD of it may be on its way for that
 * long: the SDK gave it up after 3 s and sent another one, and the first one lands after all. Held back by DynamoDB, requests
 * were seen to land 14 s late.
 */
export const LATE_MS = 60_000;
/** Events that HEAD knows this way: they are a part of it, and it is written twice a step. */
const MOST_KNOWN = 20;

/**
 * The events that a commit leaves known: without them, a late request would put its event back into the inbox of a session that
 * has nothing to do, and make it due, without a wake. Undefined if there are none.
 *
 * @param unmarked ids of `consumed` that may not be marked yet
 */
export function knownAfter(
  { consumed, known }: { readonly consumed: readonly string[]; readonly known?: Known },
  unmarked: readonly string[],
  now: number,
): Known | undefined {
  const still = known && now - known.at < LATE_MS ? known : undefined;
  const marked = consumed.filter((id) => !unmarked.includes(id));
  if (marked.length === 0) return still;
  return {
    ids: [...(still?.ids ?? []).filter((id) => !marked.includes(id)), ...marked].slice(-MOST_KNOWN),
    at: now,
  };
}
