import type { Burial, Grave, Graves } from '../agent/entrypoints/graves.ts';
import { blobKey } from '../agent/plain/blob-key.ts';
import type { SessionKey } from '../contract/session.ts';
import type { MemoryBlobs } from './blobs.ts';
import type { MemoryListings } from './listings.ts';
import type { MemoryLog } from './log.ts';
import type { MemoryOutbound } from './outbound.ts';
import { pkOf, type Table } from './table.ts';

/** The stores that may hold something of a session. */
export interface GraveStores {
  readonly table: Table;
  readonly log: Pick<MemoryLog, 'erase' | 'holds'>;
  readonly blobs: Pick<MemoryBlobs, 'erase' | 'holds'>;
  readonly outbound: Pick<MemoryOutbound, 'erase' | 'holds'>;
  readonly listings: Pick<MemoryListings, 'unlist' | 'erase' | 'entries'>;
}

/** For simulators and tests. */
export interface MemoryGraves extends Graves {
  /** Names of the stores that still hold something of a session. */
  left(key: SessionKey): readonly string[];
}

/** Deleting in memory. Each operation is one synchronous critical section. */
export function createGraves({ table, log, blobs, outbound, listings }: GraveStores): MemoryGraves {
  const foldersOf = (key: SessionKey) => [`${blobKey(key.tenant, key.sessionId)}/`, `${blobKey(pkOf(key))}/`];
  /** The keys of a map that belong to this session: its own, or those of its batches and packs. */
  const ownIn = (map: ReadonlyMap<string, unknown>, key: SessionKey) =>
    [...map.keys()].filter((name) => name === pkOf(key) || name.startsWith(`${pkOf(key)}#`));
  const mapsOf = () => ({
    slots: table.slots,
    packs: table.packs,
    results: table.results,
    events: table.events,
    lines: table.lines,
    settled: table.settled,
    feedback: table.feedback,
  });
  const tokensOf = (key: SessionKey) =>
    [...table.grants].filter(([, grant]) => pkOf(grant) === pkOf(key)).map(([hash]) => hash);

  return {
    async bury(key, now, { seen, origin } = {}): Promise<Burial> {
      const head = table.heads.get(pkOf(key));
      if (!head) return { kind: table.graves.get(pkOf(key))?.buriedAt === now ? 'buried' : 'unknown' };
      const rests = head.dueAt === undefined && head.sweepAt === undefined;
      const nobodyOwnsIt = head.owner === undefined;
      const nothingIsPending = head.pending.length === 0;
      const isAsSeen = !seen || (head.epoch === seen.epoch && head.inboxSeq === seen.inboxSeq);
      if (!(rests && nobodyOwnsIt && nothingIsPending && isAsSeen)) return { kind: 'busy' };
      if (head.forks.length > 0) return { kind: 'forked', forks: head.forks };
      table.heads.delete(pkOf(key));
      table.graves.set(pkOf(key), { key: { ...key }, buriedAt: now, at: now, ...(origin && { origin }) });
      listings.unlist(key);
      return { kind: 'buried' };
    },

    read: async (key) => table.graves.get(pkOf(key)),

    async *due(now) {
      const due = [...table.graves.values()].filter(({ at }) => at <= now);
      if (due.length > 0) yield due.toSorted((a, b) => a.at - b.at);
    },

    async move({ key, at: before }, at): Promise<Grave | undefined> {
      const grave = table.graves.get(pkOf(key));
      if (grave?.at !== before) return undefined;
      const moved = { ...grave, at };
      table.graves.set(pkOf(key), moved);
      return moved;
    },

    async erase({ key }) {
      for (const map of Object.values(mapsOf())) for (const name of ownIn(map, key)) map.delete(name);
      for (const hash of tokensOf(key)) {
        table.grants.delete(hash);
        table.told.delete(hash);
      }
      log.erase(key);
      outbound.erase(key);
      listings.unlist(key);
      for (const folder of foldersOf(key)) blobs.erase(folder);
    },

    async close({ key, at }) {
      if (table.graves.get(pkOf(key))?.at !== at) return;
      listings.erase(key);
      table.graves.delete(pkOf(key));
    },

    left(key) {
      const inMaps = Object.entries(mapsOf()).flatMap(([name, map]) =>
        ownIn(map, key).some((own) => (map.get(own)?.size ?? 0) > 0) ? [name] : [],
      );
      return [
        ...inMaps,
        ...(table.heads.has(pkOf(key)) ? ['heads'] : []),
        ...(table.graves.has(pkOf(key)) ? ['graves'] : []),
        ...(tokensOf(key).length > 0 ? ['grants'] : []),
        ...(log.holds(key) ? ['log'] : []),
        ...(outbound.holds(key) ? ['outbound'] : []),
        ...(listings.entries.has(pkOf(key)) ? ['listings'] : []),
        ...(foldersOf(key).some((folder) => blobs.holds(folder)) ? ['blobs'] : []),
      ];
    },
  };
}
