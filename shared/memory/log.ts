import type { EventLog } from '../agent/ports/event-log.ts';
import type { Frame } from '../contract/events.ts';
import type { SessionKey } from '../contract/session.ts';
import { keep } from './copy.ts';
import { mapIn, pkOf } from './table.ts';

/** Adds deletion, for the process that deletes sessions. */
export interface MemoryLog extends EventLog {
  erase(key: SessionKey): void;
  holds(key: SessionKey): boolean;
}

/** Event logs in memory. Nothing expires. */
export function createLog(): MemoryLog {
  const logs = new Map<string, Map<number, Frame>>();
  return {
    erase: (key) => void logs.delete(pkOf(key)),
    holds: (key) => logs.has(pkOf(key)),

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
