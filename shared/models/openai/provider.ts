import type { Provider } from '../../agent/ports/provider.ts';
import { jsonBody } from '../common/body.ts';
import { authHeaders, type ServerOptions, streamingProvider } from '../common/provider.ts';
import { assemble } from './assemble.ts';
import { tellsDollars } from './billing.ts';
import { openaiClient, REASONING_MS } from './client.ts';
import { asReply } from './failed-generation.ts';
import { openaiErrors } from './failure.ts';
import { learning } from './learning.ts';
import { toBody } from './request.ts';
import { events } from './stream.ts';

/** Options for OpenAI's server, or any that speaks its Chat Completions API. */
export interface OpenaiOptions extends ServerOptions {
  /**
   * Where the model's calls are: in the API's own field, or, for models that were not trained for that, as
   * `<tool_call>` blocks in their text.
   */
  readonly calls: 'native' | 'xml';
}

/** A model over the Chat Completions API: `POST <baseUrl>/chat/completions`, streamed. */
export function openaiProvider(options: OpenaiOptions): Provider {
  const { baseUrl, auth, calls, idleMs = REASONING_MS } = options;
  const client = openaiClient(baseUrl);

  const asking = streamingProvider(
    {
      send: (request, key, signal) =>
        client
          .post('/chat/completions', {
            body: toBody(request, baseUrl, calls),
            headers: { ...jsonBody, ...authHeaders(auth, key) },
            signal,
            stream: true,
          })
          .asResponse()
          .catch(asReply),
      events,
      assemble: (request) => assemble(request, calls, tellsDollars(request, baseUrl)),
      errors: openaiErrors,
      // The usage comes in a chunk of its own, after the one with the stop reason.
      lingerMs: 2_000,
    },
    { ...options, idleMs },
  );
  return learning(asking, options.log);
}
