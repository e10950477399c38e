import type { SessionKey } from '../../contract/session.ts';
import type { FoundFacts } from '../memories/memory.ts';
import { memoryOf } from '../memories/open.ts';
import type { Ports } from '../ports/ports.ts';
import type { Callers } from '../session/caller.ts';

/** The newest facts of the one person who asks; undefined without such a person, or if the memory cannot be reached. */
export async function newestFacts(
  key: SessionKey,
  callers: Callers,
  most: number,
  io: Pick<Ports, 'memories' | 'clock'>,
  signal: AbortSignal,
): Promise<FoundFacts | undefined> {
  if (!callers.user) return undefined;
  return memoryOf({ ...key, ...callers, idempotencyKey: '' }, io, signal)
    .search('', { scopes: ['user'], most })
    .catch(() => undefined);
}
