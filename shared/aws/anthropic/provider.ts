import { setTimeout as pause } from 'node:timers/promises';
import { BaseAnthropic } from '@anthropic-ai/sdk/client';
import { APIError } from '@anthropic-ai/sdk/error';
import type { Clock, Delta, ModelRequest, Provider } from '../../agent/ports.ts';
import { assemble } from './assemble.ts';
import { brokenStream, stalledStream, toFailure } from './failure.ts';
import { type Keys, keysOf } from './keys.ts';
import { toBody } from './request.ts';
import { events } from './stream.ts';
import { watchdog } from './watchdog.ts';

/**
 * The model over the Anthropic Messages API, streamed: that of Anthropic, or any server that speaks it
 * (platform-facts.md 0.5). One call is one HTTP request, repeated only after a 401 with a newer key; every
 * other retry is the queue's, because the SDK's own would sleep in a billed Lambda (0.2).
 */
export interface AnthropicOptions {
  /** Where `/v1/messages` is. */
  readonly baseUrl: string;
  /** How the key is sent: Anthropic takes a bearer, older compatible servers `x-api-key` (0.5). */
  readonly auth: 'bearer' | 'x-api-key' | 'both';
  /**
   * Looks the key up, and may keep it between calls; `refresh` asks for the one of now, after a 401. A
   * rejection is a `key_unavailable` failure.
   */
  readonly key: (refresh: boolean) => Promise<string>;
  /** How long the server may say nothing, not even a ping, until the call is given up (0.3). */
  readonly idleMs?: number;
  /** Whether to place prompt-cache breakpoints; some compatible servers refuse them. */
  readonly cache?: boolean;
  /** Further request headers, such as another `anthropic-version`; null takes one of the SDK's out. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly clock?: Clock;
}

/** Longest wait for the body to end after the message has: it frees the connection for the next call. */
const LINGER_MS = 100;

export function anthropicProvider(options: AnthropicOptions): Provider {
  const { idleMs = 60_000, clock = systemClock } = options;
  const client = new BaseAnthropic({
    baseURL: options.baseUrl,
    apiKey: 'sent with each request',
    maxRetries: 0,
    timeout: LONGER_THAN_ANY_LAMBDA_MS,
    defaultHeaders: options.headers,
    // Neither may see what people say: not the spans, and not the log that ANTHROPIC_LOG turns on.
    openTelemetry: false,
    logLevel: 'off',
  });

  return {
    async complete(request, onDelta, signal) {
      const assembly = assemble(request.model);
      const stalled = new AbortController();
      const quiet = watchdog(clock, () => stalled.abort());
      const stop = AbortSignal.any([signal, stalled.signal]);
      const keys = keysOf(options.key, stop);
      let problem: unknown;
      try {
        quiet.arm(idleMs);
        const response = await open(client, options, request, keys, stop);
        for await (const event of events(response)) {
          if (assembly.finished()) continue;
          stop.throwIfAborted();
          if (event !== undefined) tell(onDelta, assembly.take(event));
          quiet.arm(assembly.finished() ? LINGER_MS : idleMs);
        }
        problem = brokenStream(assembly.begun());
      } catch (error) {
        problem = stalled.signal.aborted && statusOf(error) === undefined ? stalledStream(idleMs) : error;
      } finally {
        quiet.stop();
      }

      // The reply counts once `message_stop` has said so, whatever came after; a clean close does not (A19).
      const reply = assembly.whole() ?? (signal.aborted ? assembly.interrupted() : undefined);
      if (reply !== undefined) return { kind: 'reply', reply };
      return {
        kind: 'failed',
        failure: toFailure(problem, { request, keys: keys.used(), now: clock.now() }),
      };
    },
  };
}

/** Sends the request; after a 401 once more, when there is a newer key. Rejects with what the SDK throws. */
async function open(
  client: BaseAnthropic,
  options: AnthropicOptions,
  request: ModelRequest,
  keys: Keys,
  signal: AbortSignal,
): Promise<Response> {
  const { body, headers } = toBody(request, options.cache ?? true);
  const send = (key: string) =>
    client
      .post('/v1/messages', {
        body,
        headers: { ...headers, ...authHeaders(options.auth, key) },
        signal,
        stream: true,
      })
      .asResponse();

  const key = await keys.look(false);
  try {
    return await send(key);
  } catch (error) {
    if (statusOf(error) !== 401) throw error;
    const newer = await keys.look(true).catch(() => key);
    if (newer === key) throw error;
    return await send(newer);
  }
}

function authHeaders(auth: AnthropicOptions['auth'], key: string): Record<string, string | null> {
  return {
    authorization: auth === 'x-api-key' ? null : `Bearer ${key}`,
    'x-api-key': auth === 'bearer' ? null : key,
  };
}

/** People's view of the stream is never worth a reply that is paid for. */
function tell(onDelta: (delta: Delta) => void, delta: Delta | undefined): void {
  if (delta === undefined) return;
  try {
    onDelta(delta);
  } catch {
    // The listener's trouble.
  }
}

function statusOf(error: unknown): number | undefined {
  return error instanceof APIError ? error.status : undefined;
}

/** The SDK's own timeout, which ends at the headers (0.3): out of the watchdog's way. */
const LONGER_THAN_ANY_LAMBDA_MS = 3_600_000;

const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => pause(ms, undefined, { signal }).catch(() => undefined),
};
