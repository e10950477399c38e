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
import { isFinal, isRefusal, saysLostSession, wordsOf } from './failures.ts';
import { withOwnIds } from './ids.ts';
import { type Known, memoryOf } from './known.ts';
import { type McpServerOptions, urlOf } from './options.ts';
import { type ServerAddress, wireTo } from './wire.ts';

/** A client that is connected for one call or one listing. */
export interface Connected {
  readonly client: Client;
  /** Ends with the call, or if the server sends more than it may. */
  readonly signal: AbortSignal;
}

/** Options for creating a client. */
export interface Making {
  readonly capabilities: ClientCapabilities;
  /** Sets the handlers for the server's own questions, before the client connects. */
  readonly prepare?: (client: Client) => void;
}

/** Facts of a failure, beside its message. */
interface Facts {
  /** Whether the requested action may have happened. */
  readonly mayHaveRun: boolean;
  /** Whether the server has refused a session that it no longer knows, or a version that it does not speak. */
  readonly isForgotten: boolean;
  /** A retry does not help. */
  readonly final: boolean;
  /** The server takes no POST at its address, like servers that speak only the HTTP+SSE transport of 2024-11-05. */
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

/** Throws the error of a failed call; if its server failed, the message says whether the call has run. */
export function throwFor(name: string, error: unknown): never {
  if (!(error instanceof ServerFailure)) throw error;
  const ran = error.mayHaveRun ? `whether ${name} has run is not known` : `${name} was not run`;
  throw new Error(`${ran}: ${error.message}`);
}

/** Timeout in ms of the client's own timer: longer than any call, because the call's signal ends it. */
export const NEVER_MS = 900_000;
/** Default for the bytes of a call: the limit of the guarded fetch. */
const USUAL_BYTES = 5_000_000;
/** Most pages of a list: a session takes 128 tools of a server. */
export const MAX_PAGES = 20;

/**
 * Connects for one use. Each call gets a client of its own, with that call's `fetch`, signal and answers. The result of
 * a handshake is cached, so that the next call needs none (`known.ts`). Rejects with a {@link ServerFailure}, or for a
 * wrong secret or setting.
 *
 * @param fresh always makes a handshake: a list needs the server's description of itself
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
 * Tries the older transport with a server that takes no POST, as the protocol asks of clients (2025-03-26, "Backwards
 * compatibility"). If the server does not speak that either, the first error is reported.
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
  readonly place: Omit<ServerAddress, 'listens'>;
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
        // A known session is continued; '' stands for a server without sessions.
        ...(known?.kind === 'legacy' && known),
      });
  const client = new Client(
    { name: 'steploop', version: '1' },
    {
      capabilities: making.capabilities,
      versionNegotiation: { mode: isOlder ? 'legacy' : 'auto' },
      inputRequired: { autoFulfill: false },
      // The model reads the result, and no code relies on its schema, so it is not validated.
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
    throw new ServerFailure(`the MCP server ${name} ${wordsOf(error, secret)}`, {
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

/** Some servers answer 400 to a request without a session, when they have sessions since a restart. */
function isForgotten(error: unknown): boolean {
  if (error instanceof UnsupportedProtocolVersionError || saysLostSession(error)) return true;
  if (!(error instanceof SdkHttpError)) return false;
  return error.status === 404 || (error.status === 400 && /session/i.test(String(error.data.text)));
}
