import type { HookLog } from '../edge/hook-log.ts';

/** Deliveries in memory. */
export function createHookLog(): HookLog {
  /** Bodies, by source and id. */
  const bodies = new Map<string, string>();
  /** The id that came first, by source and signed bytes. */
  const ids = new Map<string, string>();
  return {
    async note({ tenant, source, id, body, signed }) {
      const of = `${tenant}#${source}#`;
      const kept = bodies.get(of + id);
      if (kept !== undefined && kept !== textOf(body)) return 'conflict';
      bodies.set(of + id, textOf(body));
      if (signed) {
        const first = ids.get(of + textOf(signed)) ?? id;
        ids.set(of + textOf(signed), first);
        if (first !== id) return 'replay';
      }
      return kept === undefined ? 'new' : 'known';
    },
  };
}

const textOf = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes);
