import type { Assembly, Protocol } from '../../agent/define/provider.ts';
import { defined } from '../../agent/plain/defined.ts';
import type { Clock } from '../../agent/ports/ports.ts';
import type { Delta, ModelRequest, Provider } from '../../agent/ports/provider.ts';
import type { Reply } from '../../agent/session/reply.ts';
import { wallClock } from '../../wall-clock.ts';
import { brokenStream, stalledStream, toFailure } from './failure.ts';
import { type Keys, keysOf } from './keys.ts';
import { safeReply } from './redact.ts';
import { watchdog } from './watchdog.ts';

/** One server, and how to reach it. */
export interface ServerOptions {
  /** Base URL of the API, without the path of its one operation. */
  readonly baseUrl: string;
  /** How the key is sent: Anthropic and OpenAI take a bearer, older compatible servers `x-api-key`. */
  readonly auth: 'bearer' | 'x-api-key' | 'both';
  /**
   * Looks the key up, and may cache it between calls; `refresh` asks for the current one, after a 401. A rejection is a
   * `key_unavailable` failure.
   */
  readonly key: (refresh: boolean) => Promise<string>;
  /** Ms that the server may be silent before the call is given up. */
  readonly idleMs?: number;
  readonly clock?: Clock;
  /**
   * Called once for each model whose replies come without a usage, or with an unusable one: it is estimated. Also
   * called for rules that a server has taught by refusing a request.
   */
  readonly log?: (
    message: string,
    facts: { readonly model: string; readonly server: string; readonly rules?: string },
  ) => void;
}

/**
 * A model over HTTP, streamed. One call is one request, repeated only after a 401 with a newer key. Every other retry
 * is left to the queue, because the SDK's own would sleep in a billed Lambda.
 */
export function streamingProvider(
  protocol: Protocol,
  { key, idleMs: patience = 60_000, clock = wallClock, log }: ServerOptions,
): Provider {
  const complained = new Set<string>();
  return {
    async complete(request, onDelta, signal) {
      const assembly = protocol.assemble(request);
      // A server that sends its reply in one piece is silent until then: only the deadline ends that.
      const idleMs = isStreamed(request) ? patience : LONGER_THAN_ANY_LAMBDA_MS;
      const stalled = new AbortController();
      const quiet = watchdog(clock, () => stalled.abort());
      const stop = AbortSignal.any([signal, stalled.signal]);
      const keys = keysOf(key, stop);
      let problem: unknown;
      let closed = false;
      try {
        quiet.arm(idleMs);
        const response = await open(protocol, request, keys, stop);
        const alive = () => !assembly.finished() && quiet.arm(idleMs);
        for await (const event of protocol.events(response, alive)) {
          const ended = assembly.finished();
          if (!ended) stop.throwIfAborted();
          if (event !== undefined) for (const delta of assembly.take(event)) tell(onDelta, delta);
          if (!ended) quiet.arm(assembly.finished() ? protocol.lingerMs : idleMs);
        }
        // Some SDKs end an aborted stream as if it were complete.
        stop.throwIfAborted();
        closed = true;
        problem = brokenStream(assembly.begun());
      } catch (error) {
        const answered = protocol.errors.answerOf(error) !== undefined;
        problem = stalled.signal.aborted && !answered ? stalledStream(idleMs) : error;
      } finally {
        quiet.stop();
      }

      // The reply counts once the server has said that it is whole, whatever comes after. A clean close alone does not
      // make it whole.
      const whole = assembly.whole();
      if (whole) complain(complained, request, whole, assembly, log);
      const cut = closed ? assembly.cutInCall() : undefined;
      const reply = whole ?? cut ?? (signal.aborted ? assembly.interrupted() : undefined);
      const exchange = { request, keys: keys.used(), now: clock.now() };
      if (reply !== undefined) return { kind: 'reply', reply: safeReply(reply, exchange) };
      const used = assembly.used();
      return {
        kind: 'failed',
        failure: await toFailure(problem, exchange, protocol.errors),
        ...defined({ used }),
      };
    },
  };
}

/** Whether the request asks for a stream: always, unless its agent wants the reply in one piece. */
export const isStreamed = ({ request }: Pick<ModelRequest, 'request'>): boolean => request.stream !== false;

/** Logs once for each model that its server does not report what its replies use. */
function complain(
  known: Set<string>,
  { model, server }: ModelRequest,
  { estimated }: Reply,
  assembly: Assembly,
  log: ServerOptions['log'],
): void {
  const refused = assembly.complaint();
  if ((!refused && !estimated) || known.has(model)) return;
  known.add(model);
  const what = refused ? `a usage that is not a number of tokens (${refused})` : 'no usage';
  log?.(`the model server told ${what}: tokens are estimated`, { model, server });
}

/** Sends the request; after a 401 once more, if there is a newer key. Rejects with what the SDK throws. */
async function open(
  protocol: Protocol,
  request: ModelRequest,
  keys: Keys,
  signal: AbortSignal,
): Promise<Response> {
  const key = await keys.look(false);
  try {
    return await protocol.send(request, key, signal);
  } catch (error) {
    if (protocol.errors.answerOf(error)?.status !== 401) throw error;
    const newer = await keys.look(true).catch(() => key);
    if (newer === key) throw error;
    return await protocol.send(request, newer, signal);
  }
}

/** The headers that carry the key; null removes one of the SDK's. */
export function authHeaders(auth: ServerOptions['auth'], key: string): Record<string, string | null> {
  return {
    authorization: auth === 'x-api-key' ? null : `Bearer ${key}`,
    'x-api-key': auth === 'bearer' ? null : key,
  };
}

/** A failing listener must not lose a reply that is paid for. */
function tell(onDelta: (delta: Delta) => void, delta: Delta): void {
  try {
    onDelta(delta);
  } catch {
    // Ignored: the error is the listener's.
  }
}

/** Replaces the SDKs' own timeout, which ends at the headers: it must not fire before the watchdog. */
export const LONGER_THAN_ANY_LAMBDA_MS = 3_600_000;
