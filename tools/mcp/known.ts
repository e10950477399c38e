import type { PriorDiscovery } from '@modelcontextprotocol/client';
import * as z from 'zod';
import type { ListContext } from '../../shared/agent/define/index.ts';
import { recent } from '../../shared/agent/plain/recent.ts';

/** What a handshake has found out, so that the next call needs none. */
export type Known =
  /** The protocol of 2026-07-28 and later: each request stands for itself. */
  | Extract<PriorDiscovery, { kind: 'modern' }>
  /** The older one: a session of the server's, `''` when it keeps none. */
  | { readonly kind: 'legacy'; readonly sessionId: string; readonly protocolVersion?: string | undefined }
  /** It speaks only the HTTP+SSE transport of 2024-11-05: a stream, and a session, for each connection. */
  | { readonly kind: 'older' };

/** What is known of one session's connection to one server. */
export interface Memory {
  /**
   * What is known, or else what a handshake finds out: one for all that ask meanwhile. Rejects when that fails.
   *
   * @param stale what the server has turned out not to know any more
   */
  known(handshake: () => Promise<Known>, stale?: Known): Promise<Known>;
  /** Keeps what a handshake has found out. */
  learn(known: Known): Promise<void>;
}

/** Connections that are known while the process is warm. */
const MAX_WARM = 500;
const warm = recent<Promise<Known>>(MAX_WARM);

const Kept = z.strictObject({
  url: z.string(),
  sessionId: z.string().min(1),
  protocolVersion: z.string().optional(),
});

/**
 * Warm in the process; and where the server keeps a session of its own, among the texts of the session, since what was done in one call (a
 * page that was opened) must be there for the next, whichever worker makes it. Sessions never share one, nor tenants.
 *
 * @param secret what it is used with: another one is another connection
 */
export function memoryOf(
  { name, url, secret }: { readonly name: string; readonly url: URL; readonly secret: string | undefined },
  { tenant, sessionId, services }: Pick<ListContext, 'tenant' | 'sessionId' | 'services'>,
): Memory {
  const id = JSON.stringify([url.href, tenant, sessionId, secret]);
  const text = `mcp-${name}`;
  // That it cannot be read costs a handshake, and no more.
  const read = async (stale: Known | undefined): Promise<Known | undefined> => {
    const kept = await services.blobs.get(text).then(parsed, () => undefined);
    const isStale = stale?.kind === 'legacy' && stale.sessionId === kept?.sessionId;
    return kept?.url === url.href && !isStale ? { kind: 'legacy', ...kept } : undefined;
  };
  const write = async (known: Known): Promise<void> => {
    if (known.kind !== 'legacy' || known.sessionId === '') return;
    const { sessionId: theirs, protocolVersion } = known;
    const kept = JSON.stringify({ url: url.href, sessionId: theirs, protocolVersion });
    await services.blobs.put(text, kept).catch(() => undefined);
  };
  const remember = (known: Promise<Known>): Promise<Known> => {
    warm.set(id, known);
    known.catch(() => warm.get(id) === known && warm.delete(id));
    return known;
  };
  return {
    async known(handshake, stale) {
      const current = warm.get(id);
      if (current && (!stale || (await current) !== stale)) return current;
      // Another call may have found that out too.
      const newer = warm.get(id);
      if (newer && newer !== current) return newer;
      return remember(
        read(stale).then(async (kept) => {
          if (kept) return kept;
          const found = await handshake();
          await write(found);
          return found;
        }),
      );
    },
    async learn(known) {
      void remember(Promise.resolve(known));
      await write(known);
    },
  };
}

function parsed(text: string | undefined): z.infer<typeof Kept> | undefined {
  if (text === undefined) return undefined;
  try {
    return Kept.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
