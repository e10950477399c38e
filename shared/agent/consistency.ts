/** How fresh a read is: `strong` includes everything that was acknowledged before it began, `eventual` may miss recent writes. */
export type Consistency = 'strong' | 'eventual';

/**
 * The consistency of each read in the step protocol's stores. The adapters on AWS follow it, `test/contract` checks it on the
 * wire, and the simulator's store answers eventual reads with older state.
 */
export const consistencyOf = {
  sessions: {
    /** Read once by a decision, a worker and a dead letter: if they miss something, it is never looked for again. */
    read: 'strong',
    /** An owner that does not see its own epoch considers itself superseded; one that misses a cancel continues. */
    watch: 'strong',
    /** Its sender stores it right before the session is created, and the session cannot continue without it. */
    definition: 'strong',
    /** A missed slot is a hole in the prompt, or a reply that is bought twice. */
    slots: 'strong',
    /** A pack never changes. If it is not visible yet, its slots are read instead, with strong consistency. */
    packs: 'eventual',
    /** A missed result becomes an unknown outcome. */
    results: 'strong',
    /** An index offers only this. It names sessions; their HEADs, read strongly, decide. */
    overdue: 'eventual',
  },
  inbox: {
    /** A missed message is lost, because its id is taken off the inbox all the same. */
    read: 'strong',
    /** The mark on HEAD is removed when the line is seen to be empty, so a missed event would wait for ever. */
    refill: 'strong',
  },
  later: {
    /** A token may be used the moment after it was made. */
    granted: 'strong',
    /** A missed answer is reported as no answer. */
    settled: 'strong',
  },
  signs: {
    /** A hint: if it is missed, the request is refused as without it. */
    read: 'eventual',
  },
  log: {
    /** It shows what a dead attempt has left open, and clients fill their gaps from it. */
    read: 'strong',
  },
} as const satisfies Record<string, Record<string, Consistency>>;
