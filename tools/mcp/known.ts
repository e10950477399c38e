import type { PriorDiscovery } from '@modelcontextprotocol/client';
import * as z from 'zod';
import type { ListContext } from '../../shared/agent/define/index.ts';
import { recent } from '../../shared/agent/plain/recent.ts';

/** The result of a handshake, so that the next call needs none. */
export type Known =
  /** The protocol of 2026-07-28 and later, in which each request stands alone. */
  | Extract<PriorDiscovery, { kind: 'modern' }>
  /** The older protocol: a session of the server's, `''` if it has none. */
  | { readonly kind: 'legacy'; readonly sessionId: string; readonly protocolVersion?: string | undefined }
  /** Only the HTTP+SSE transport of 2024-11-05: a stream, and a session, for each connection. */
  | { readonly kind: 'older' };

/** The cached handshake of one session's connection to one server. */
export interface Memory {
  /**
   * The cached handshake, or a new one, which concurrent callers share. Rejects if that fails.
   *
   * @param stale the entry that the server has turned out to have forgotten
   */
  known(handshake: () => Promise<Known>, stale?: Known): Promise<Known>;
  /** Saves the result of a handshake. */
  learn(known: Known): Promise<void>;
}

/** Most connections that are cached in a warm process. */
const MAX_WARM = 500;
const warm = recent<Promise<Known>>(MAX_WARM);

const Kept = z.strictObject({
  url: z.string(),
  sessionId: z.string().min(1),
  protocolVersion: z.string().optional(),
});

/**
 * Caches in the warm process. If the server has sessions of its own, the session's id is also saved among the texts of
 * our session, because the effects of one call (a page that was opened) must be there for the next, whichever worker
 * makes it. Sessions and tenants never share one.
 *
 * @param secret the credential in use: another credential is another connection
 */
export function memoryOf(
  { name, url, secret }: { readonly name: string; readonly url: URL; readonly secret: string | undefined },
  { tenant, sessionId, services }: Pick<ListContext, 'tenant' | 'sessionId' | 'services'>,
): Memory {
  const id = JSON.stringify([url.href, tenant, sessionId, secret]);
  const text = `mcp-${name}`;
  // A failed read costs a handshake, and no more.
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
      // Another call may have learned that too.
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
