import type { EventLog } from '../agent/ports.ts';
import type { Frame } from '../contract/events.ts';
import { keep } from './copy.ts';
import { mapIn, pkOf } from './table.ts';

/** Event logs in memory. Nothing expires. */
export function createLog(): EventLog {
  const logs = new Map<string, Map<number, Frame>>();
  return {
    async append(key, frames) {
      const log = mapIn(logs, pkOf(key));
      for (const frame of frames) if (!log.has(frame.seq)) log.set(frame.seq, keep(frame));
    },

    async read(key, after, limit, upTo = Number.MAX_SAFE_INTEGER) {
      const frames = [...(logs.get(pkOf(key))?.values() ?? [])];
      const wanted = frames.filter(({ seq }) => seq > after && seq <= upTo);
      return wanted.sort((a, b) => a.seq - b.seq).slice(0, limit);
    },
  };
}
