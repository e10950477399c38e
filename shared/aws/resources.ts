import { readdirSync, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { defined } from '../agent/plain/defined.ts';
import type { Resources } from '../agent/ports/ports.ts';

/** Ms for which an answer of the operating system is reused: asking it costs more than the rest of a guard. */
const BELIEVED_MS = 1000;

/** The free part of this environment's heap, `/tmp` and file descriptors, as far as it can be read. */
export const resources: Resources = {
  read() {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    const now = performance.now();
    if (!known || now - known.at >= BELIEVED_MS) known = { at: now, left: ofSystem() };
    return { memory: used / limit, ...known.left };
  },
};

let known: { readonly at: number; readonly left: Omit<ReturnType<Resources['read']>, 'memory'> } | undefined;

function ofSystem() {
  const disk = unlessUnreadable(() => {
    const { blocks, bfree } = statfsSync(tmpdir());
    return blocks > 0 ? (blocks - bfree) / blocks : undefined;
  });
  const files = unlessUnreadable(() => {
    const most = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return most === undefined ? undefined : readdirSync('/proc/self/fd').length / Number(most);
  });
  return { ...defined({ disk, files }) };
}

/** Not every platform reports every resource: an unreported one does not limit. */
function unlessUnreadable(read: () => number | undefined): number | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
