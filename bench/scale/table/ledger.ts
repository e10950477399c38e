import type { ItemKey } from '../../../shared/aws/dynamo.ts';

/** One use of one item, or of one partition of an index. */
export interface Use {
  /** Its kind: `HEAD`, `limits RUNNING`, `index due`, … */
  readonly kind: string;
  /** Identifies it within its kind. */
  readonly id: string;
  /** Whether it belongs to one session: more sessions do not make it hotter. */
  readonly own: boolean;
  readonly read: number;
  readonly write: number;
}

/** The usage of one kind of key. Units a second are those of its hottest key. */
export interface Heat {
  readonly kind: string;
  readonly own: boolean;
  readonly keys: number;
  /** Units of all keys together, over the whole time. */
  readonly reads: number;
  readonly writes: number;
  /**
   * Units of the hottest key. For a session's own key, in its hottest second. For a shared key, on average, plus the part of its
   * hottest {@link WINDOW_S} seconds that chance does not explain. (In a small sample, each single event would be a peak.)
   */
  readonly readsASecond: number;
  readonly writesASecond: number;
}

/** Seconds over which the peaks of shared keys are taken. */
const WINDOW_S = 5;

/** Counts units by key. */
export interface Ledger {
  count(use: Use): void;
  /** Keys of this session will not be used any more. */
  close(pk: string): void;
  /** The counted units, given the number of seconds. */
  heats(seconds: number): Heat[];
}

interface Tally {
  read: number;
  write: number;
}
interface Count extends Tally {
  /** The second, or the window, that is being counted. */
  at: number;
  readonly now: Tally;
  readonly peak: Tally;
}
interface Kind extends Tally {
  readonly own: boolean;
  keys: number;
  readonly counts: Map<string, Count>;
  readonly peak: Tally;
}

const none = (): Tally => ({ read: 0, write: 0 });
const raise = (peak: Tally, to: Tally): void => {
  peak.read = Math.max(peak.read, to.read);
  peak.write = Math.max(peak.write, to.write);
};

/** @param now in ms */
export function createLedger(now: () => number): Ledger {
  const kinds = new Map<string, Kind>();
  const kindOf = ({ kind, own }: Use): Kind => {
    const known = kinds.get(kind) ?? { ...none(), own, keys: 0, counts: new Map(), peak: none() };
    kinds.set(kind, known);
    return known;
  };
  return {
    count(use) {
      const kind = kindOf(use);
      let count = kind.counts.get(use.id);
      if (!count) {
        count = { ...none(), at: 0, now: none(), peak: none() };
        kind.counts.set(use.id, count);
        kind.keys += 1;
      }
      const at = Math.floor(now() / (use.own ? 1000 : 1000 * WINDOW_S));
      if (count.at !== at) Object.assign(count.now, none());
      count.at = at;
      for (const tally of [kind, count, count.now]) {
        tally.read += use.read;
        tally.write += use.write;
      }
      raise(count.peak, count.now);
    },

    close(pk) {
      for (const kind of kinds.values()) {
        const count = kind.own && kind.counts.get(pk);
        if (!count) continue;
        raise(kind.peak, count.peak);
        kind.counts.delete(pk);
      }
    },

    heats: (seconds) =>
      [...kinds].map(([kind, { own, keys, read, write, counts, peak }]) => {
        const hottest = { ...peak };
        for (const count of counts.values()) {
          raise(
            hottest,
            own
              ? count.peak
              : { read: shared(count, 'read', seconds), write: shared(count, 'write', seconds) },
          );
        }
        return {
          ...{ kind, own, keys, reads: read, writes: write },
          ...{ readsASecond: hottest.read, writesASecond: hottest.write },
        };
      }),
  };
}

/** Units a second of a shared key. By chance, one window in 10,000 is four deviations above the mean. */
function shared(count: Count, what: keyof Tally, seconds: number): number {
  const mean = (count[what] / seconds) * Math.min(seconds, WINDOW_S);
  const byChance = mean + 4 * Math.sqrt(mean) + 4;
  return (mean + Math.max(0, count.peak[what] - byChance)) / Math.min(seconds, WINDOW_S);
}

/** The parts of a session's partition, by the prefixes of their sort keys (shared/aws/layout.ts). */
const parts: Readonly<Record<string, string>> = {
  HEAD: 'HEAD',
  M: 'slots',
  P: 'packs',
  R: 'results',
  I: 'events',
  Q: 'line for the inbox',
  A: 'answers',
  V: 'log',
  O: 'listeners outside',
};

/** The ledger's subject for an item. Parts of a session are distinguished; for other partitions the kind is enough. */
export function subjectOf({ pk, sk }: ItemKey): Pick<Use, 'kind' | 'id' | 'own'> {
  const [, ...names] = pk.split('#');
  const [beginning = ''] = sk.split('#');
  if (names.length === 1 && parts[beginning]) return { kind: parts[beginning], id: pk, own: true };
  return { kind: `${names[0]} ${beginning.toLowerCase()}`, id: pk, own: false };
}
