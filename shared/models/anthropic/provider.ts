import { BaseAnthropic } from '@anthropic-ai/sdk/client';
import type { Provider } from '../../agent/ports/provider.ts';
import { jsonBody } from '../common/body.ts';
import { modelFetch } from '../common/fetch.ts';
import {
  authHeaders,
  LONGER_THAN_ANY_LAMBDA_MS,
  type ServerOptions,
  streamingProvider,
} from '../common/provider.ts';
import { assemble } from './assemble.ts';
import { anthropicErrors } from './failure.ts';
import { toBody } from './request.ts';
import { events } from './stream.ts';

/** Options for Anthropic's server, or any that speaks its Messages API. */
export interface AnthropicOptions extends ServerOptions {
  /** Whether to place prompt-cache breakpoints; some compatible servers refuse them. */
  readonly cache?: boolean;
  /** Further request headers, such as another `anthropic-version`; null removes one of the SDK's. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** A model over the Anthropic Messages API: `POST <baseUrl>/v1/messages`, streamed. */
export function anthropicProvider(options: AnthropicOptions): Provider {
  const client = new BaseAnthropic({
    baseURL: options.baseUrl,
    apiKey: 'sent with each request',
    maxRetries: 0,
    fetch: modelFetch,
    timeout: LONGER_THAN_ANY_LAMBDA_MS,
    defaultHeaders: options.headers,
    // Neither traces nor the log that ANTHROPIC_LOG turns on may see what people say.
    openTelemetry: false,
    logLevel: 'off',
  });

  return streamingProvider(
    {
      send(request, key, signal) {
        const { body, headers } = toBody(request, options.cache ?? true);
        return client
          .post('/v1/messages', {
            body,
            headers: { ...jsonBody, ...headers, ...authHeaders(options.auth, key) },
            signal,
            stream: true,
          })
          .asResponse();
      },
      events,
      assemble,
      errors: anthropicErrors,
      // Nothing more comes: reading to the end of the body frees the connection for the next call.
      lingerMs: 100,
    },
    options,
  );
}
