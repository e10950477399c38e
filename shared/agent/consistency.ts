/** What a read may miss: nothing that was acknowledged before it began, or what was written a while ago. */
export type Consistency = 'strong' | 'eventual';

/**
 * The reads of the step protocol's stores. The adapters on AWS ask for what stands here, `test/contract` sees it on the
 * wire, and the simulator's store answers as it was a while ago to what is eventual.
 */
export const consistencyOf = {
  sessions: {
    /** A decision, a worker and a dead letter go by it, once: what they miss, nobody looks for again. */
    read: 'strong',
    /** An owner that does not see itself takes itself for superseded; one that misses a cancel goes on. */
    watch: 'strong',
    /** Kept by its sender right before the session is made; its session cannot go on without. */
    definition: 'strong',
    /** A slot that is missed is a hole in the prompt, or a reply that is bought twice. */
    slots: 'strong',
    /** A pack never changes. One that is not seen yet is read as its slots, strongly. */
    packs: 'eventual',
    /** A result that is missed is told as an unknown outcome. */
    results: 'strong',
    /** An index knows no other. It names sessions; their HEADs, read strongly, decide. */
    overdue: 'eventual',
  },
  inbox: {
    /** A message that is missed is lost: its id is taken off the inbox all the same. */
    read: 'strong',
    /** The mark on HEAD goes when the line is seen to be empty: who is missed then waits for ever. */
    refill: 'strong',
  },
  later: {
    /** A token is used once, perhaps the moment after it was made. */
    granted: 'strong',
    /** An answer that is missed is told as none. */
    settled: 'strong',
  },
  signs: {
    /** A hint: whoever misses it is refused, as without. */
    read: 'eventual',
  },
  log: {
    /** What a dead attempt has opened is closed by it, and clients fill their gaps from it. */
    read: 'strong',
  },
} as const satisfies Record<string, Record<string, Consistency>>;
