import { consistencyOf } from '../agent/consistency.ts';
import type { EventLog } from '../agent/ports/event-log.ts';
import type { Clock } from '../agent/ports/ports.ts';
import type { Frame } from '../contract/events.ts';
import type { Dynamo } from './dynamo.ts';
import { endOf, lifetime, logSk, pkOf, ttlFrom } from './layout.ts';
import { pack, unpack } from './pack.ts';

/** Bytes of frames in one item; a single larger frame gets an item of its own. */
const MAX_BATCH_BYTES = 100_000;
/** Batches read at a time. */
const PAGE = 50;

export interface LogOptions {
  readonly dynamo: Dynamo;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Event logs in DynamoDB: an item for each batch of frames, keyed by its last and its first seq. Frames are packed:
 * they repeat what the slots say, in many small pieces, and a write is billed by the kilobyte.
 *
 * A batch may repeat frames of earlier ones: a successor writes again the frames of a commit. All seqs of one session
 * are in one sequence, and batches are begun in that order, so a reader that sorts the frames and drops duplicates sees
 * the sequence.
 */
export function createLog({ dynamo, clock }: LogOptions): EventLog {
  return {
    async append(key, frames) {
      const pk = pkOf(key);
      const ttl = ttlFrom(clock.now(), lifetime.log);
      const write = async ({ first, last, frames }: Batch) => {
        const sk = logSk(last, first);
        await dynamo.put({ pk, sk, frames: pack(frames), ttl });
      };
      await Promise.all(batches(frames).map(write));
    },

    async read(key, after, limit, upTo = Number.MAX_SAFE_INTEGER) {
      const found = new Map<number, Frame>();
      let enough = upTo;
      const items = dynamo.range(pkOf(key), logSk(after + 1), endOf('V#'), {
        consistency: consistencyOf.log.read,
        limit: Math.min(limit + 1, PAGE),
      });
      for await (const item of items) {
        const frames = unpack<Frame[]>(item.frames);
        if ((frames[0]?.seq ?? 0) > enough) break;
        for (const frame of frames.filter(({ seq }) => seq > after && seq <= upTo))
          found.set(frame.seq, frame);
        // Having enough frames does not mean having the first ones: the next batch may fill a hole before them.
        if (found.size >= limit) enough = Math.min(enough, Math.max(...found.keys()));
      }
      return [...found.values()].sort((a, b) => a.seq - b.seq).slice(0, limit);
    },
  };
}

interface Batch {
  readonly first: number;
  readonly last: number;
  readonly frames: readonly Frame[];
}

/** Frames in order, in as few batches as their size allows. */
function batches(frames: readonly Frame[]): Batch[] {
  const groups: Frame[][] = [];
  let room = 0;
  for (const frame of [...frames].sort((a, b) => a.seq - b.seq)) {
    const bytes = Buffer.byteLength(JSON.stringify(frame));
    if (bytes > room) {
      groups.push([]);
      room = MAX_BATCH_BYTES;
    }
    groups.at(-1)?.push(frame);
    room -= bytes;
  }
  return groups.map((group) => ({
    first: group[0]?.seq ?? 0,
    last: group.at(-1)?.seq ?? 0,
    frames: group,
  }));
}
