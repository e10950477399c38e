import type { ClientCapabilities } from '@modelcontextprotocol/client';
import { type ListContext, UnusableSource } from '../../shared/agent/define/index.ts';
import {
  Client,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  UnsupportedProtocolVersionError,
} from './client.ts';
import { identityOf, secretFor } from './credentials.ts';
import { isFinal, isRefusal, wordsOf } from './failures.ts';
import { withOwnIds } from './ids.ts';
import { type Known, memoryOf } from './known.ts';
import { type McpServerOptions, urlOf } from './options.ts';
import { type Place, wireTo } from './wire.ts';

/** A client that is connected for one call or one listing. */
export interface Connected {
  readonly client: Client;
  /** Ends with the call, and when the server sends more than it may. */
  readonly signal: AbortSignal;
}

/** What a client is made with. */
export interface Making {
  readonly capabilities: ClientCapabilities;
  /** Says what answers the server's own questions, before it is connected. */
  readonly prepare?: (client: Client) => void;
}

/** Facts of a failure, beside its words. */
interface Facts {
  /** Whether what was asked for may have happened. */
  readonly mayHaveRun: boolean;
  /** Whether the server has refused a session that it does not know any more, or a version that it does not speak. */
  readonly isForgotten: boolean;
  /** Asking again does not help. */
  readonly final: boolean;
  /** It takes no POST at its address, as servers do that speak only the HTTP+SSE transport of 2024-11-05. */
  readonly mayBeOlder: boolean;
  readonly wasConnected: boolean;
}

/** A failure of a server, in a sentence. */
export class ServerFailure extends Error implements Facts {
  override name = 'ServerFailure';
  readonly mayHaveRun: boolean;
  readonly isForgotten: boolean;
  readonly final: boolean;
  readonly mayBeOlder: boolean;
  readonly wasConnected: boolean;

  constructor(message: string, of: Facts) {
    super(message);
    this.mayHaveRun = of.mayHaveRun;
    this.isForgotten = of.isForgotten;
    this.final = of.final;
    this.mayBeOlder = of.mayBeOlder;
    this.wasConnected = of.wasConnected;
  }
}

/** Throws what a call comes to that has failed: for a failure of its server, whether it has run. */
export function throwFor(name: string, error: unknown): never {
  if (!(error instanceof ServerFailure)) throw error;
  const ran = error.mayHaveRun ? `whether ${name} has run is not known` : `${name} was not run`;
  throw new Error(`${ran}: ${error.message}`);
}

/** ms that the client's own clock waits: longer than any call, whose signal ends it. */
export const NEVER_MS = 900_000;
/** Bytes of a call when nothing is said: what a guarded fetch takes. */
const USUAL_BYTES = 5_000_000;
/** Pages of a list: a session takes 128 tools of a server. */
export const MAX_PAGES = 20;

/**
 * Connects for one use. A client is made for each call, with that call's `fetch`, signal and answers; what a handshake has found out is
 * kept, so that the next call has none (`known.ts`). Rejects with a {@link ServerFailure}, or for a secret or a setting that is wrong.
 *
 * @param fresh makes a handshake whatever is known: a list needs what the server says of itself
 */
export async function withServer<T>(
  options: McpServerOptions,
  context: ListContext,
  { fresh, ...making }: Making & { readonly fresh: boolean },
  use: (connected: Connected) => Promise<T>,
): Promise<T> {
  const { name, auth, url: where, privateNetwork = false, maxResultBytes: maxBytes = USUAL_BYTES } = options;
  const url = urlOf(options, typeof where === 'string' ? where : context.setting(where.setting));
  const secret = await secretFor(auth, context);
  const memory = memoryOf({ name, url, secret }, context);
  const place = { url, privateNetwork, maxBytes };
  const attempt = <R>(known: Known | undefined, to: (connected: Connected, found: Known) => Promise<R>) =>
    orOlder(known, (by) => once({ options, context, making, place, secret, known: by }, to));

  if (fresh)
    return attempt(undefined, async (connected, found) => {
      await memory.learn(found);
      return use(connected);
    });
  const handshake = () => attempt(undefined, async (_connected, found) => found);
  const known = await memory.known(handshake);
  try {
    return await attempt(known, use);
  } catch (error) {
    if (!(error instanceof ServerFailure) || !error.isForgotten) throw error;
    return attempt(await memory.known(handshake, known), use);
  }
}

/**
 * Tries the older transport with a server that takes no POST, as the protocol has clients do (2025-03-26, "Backwards compatibility"). When that is not
 * spoken either, what came first is told.
 */
async function orOlder<T>(
  known: Known | undefined,
  by: (known: Known | undefined) => Promise<T>,
): Promise<T> {
  try {
    return await by(known);
  } catch (error) {
    if (known || !(error instanceof ServerFailure) || !error.mayBeOlder) throw error;
    return by({ kind: 'older' }).catch((other: unknown) => {
      throw other instanceof ServerFailure && !other.wasConnected ? error : other;
    });
  }
}

interface Attempt {
  readonly options: McpServerOptions;
  readonly context: ListContext;
  readonly making: Making;
  readonly place: Omit<Place, 'listens'>;
  readonly secret: string | undefined;
  readonly known: Known | undefined;
}

async function once<T>(
  { options: { name, auth }, context, making, place, secret, known }: Attempt,
  use: (connected: Connected, found: Known) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const signal = AbortSignal.any([context.signal, over.signal]);
  const isOlder = known?.kind === 'older';
  const wire = wireTo({ ...place, listens: isOlder }, context, (error) => over.abort(error));
  const speaking = { ...identityOf(auth, secret, { wire, resource: place.url }), fetch: wire.fetch };
  const transport = isOlder
    ? new SSEClientTransport(place.url, speaking)
    : new StreamableHTTPClientTransport(place.url, {
        ...speaking,
        // A session that is known is gone on with; '' is one of a server that keeps none.
        ...(known?.kind === 'legacy' && known),
      });
  const client = new Client(
    { name: 'steploop', version: '1' },
    {
      capabilities: making.capabilities,
      versionNegotiation: { mode: isOlder ? 'legacy' : 'auto' },
      inputRequired: { autoFulfill: false },
      // What a result looks like is for the model to read: nothing is made of it here that a schema could vouch for.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
    },
  );
  let isConnected = false;
  try {
    making.prepare?.(client);
    await client.connect(transport, { signal, ...(known?.kind === 'modern' && { prior: known }) });
    isConnected = true;
    wire.connected();
    // The older transport has a session for each connection.
    if (!isOlder) withOwnIds(transport);
    return await use({ client, signal }, known ?? foundOut(client, transport));
  } catch (thrown) {
    const error = over.signal.aborted ? over.signal.reason : thrown;
    if (error instanceof UnusableSource) throw error;
    throw new ServerFailure(`the MCP server ${name} ${wordsOf(error)}`, {
      mayHaveRun: isConnected && !isRefusal(error),
      isForgotten: isForgotten(error),
      final: isFinal(error, auth !== undefined),
      mayBeOlder: !isConnected && error instanceof SdkHttpError && [400, 404, 405].includes(error.status),
      wasConnected: isConnected,
    });
  } finally {
    await client.close().catch(() => undefined);
  }
}

function foundOut(client: Client, transport: StreamableHTTPClientTransport | SSEClientTransport): Known {
  const discover = client.getDiscoverResult();
  if (discover) return { kind: 'modern', discover };
  if (transport instanceof SSEClientTransport) return { kind: 'older' };
  return {
    kind: 'legacy',
    sessionId: transport.sessionId ?? '',
    protocolVersion: transport.protocolVersion,
  };
}

/** 404 is what the protocol says; servers that were made after its first samples answer 400 with words about the session. */
function isForgotten(error: unknown): boolean {
  if (error instanceof UnsupportedProtocolVersionError) return true;
  if (!(error instanceof SdkHttpError)) return false;
  return error.status === 404 || (error.status === 400 && /session/i.test(String(error.data.text)));
}
