import type { Ages } from '../agent/entrypoints/retention.ts';
import type { MemoryListings } from './listings.ts';
import { pkOf } from './table.ts';

const EACH_MS = 24 * 3_600_000;

/**
 * The walk over all sessions in memory.
 *
 * @param pageSize sessions of one page
 */
export function createAges({ entries }: Pick<MemoryListings, 'entries'>, pageSize = 250): Ages {
  let walk: { readonly begunAt: number; readonly after?: string } | undefined;
  return {
    async page(now, before) {
      if (walk && walk.after === undefined && now < walk.begunAt + EACH_MS) return undefined;
      const { begunAt, after = '' } = walk?.after === undefined ? { begunAt: now } : walk;
      const left = [...entries].filter(([pk]) => pk > after).sort(([a], [b]) => (a < b ? -1 : 1));
      const page = left.slice(0, pageSize);
      const last = left.length > pageSize ? page.at(-1)?.[0] : undefined;
      const aged = page.flatMap(([, { key, standing }]) => (standing.at < before ? [key] : []));
      return { aged, next: JSON.stringify({ begunAt, ...(last && { after: last }) }) };
    },

    async advance(next) {
      walk = JSON.parse(next);
    },

    movedAt: async (key) => entries.get(pkOf(key))?.standing.at,
  };
}
