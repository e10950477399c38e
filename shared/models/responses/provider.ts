import type { Provider } from '../../agent/ports/provider.ts';
import { jsonBody } from '../common/body.ts';
import { authHeaders, type ServerOptions, streamingProvider } from '../common/provider.ts';
import { tellsDollars } from '../openai/billing.ts';
import { openaiClient, REASONING_MS } from '../openai/client.ts';
import { learning } from '../openai/learning.ts';
import { assemble } from './assemble.ts';
import { responsesErrors } from './failure.ts';
import { toBody } from './request.ts';
import { events } from './stream.ts';

/** A model over the Responses API: `POST <baseUrl>/responses`, streamed, with nothing stored on the server. */
export function responsesProvider(options: ServerOptions): Provider {
  const { baseUrl, auth, idleMs = REASONING_MS } = options;
  const client = openaiClient(baseUrl);
  const asking = streamingProvider(
    {
      send: (request, key, signal) =>
        client
          .post('/responses', {
            body: toBody(request, baseUrl),
            headers: { ...jsonBody, ...authHeaders(auth, key) },
            signal,
            stream: true,
          })
          .asResponse(),
      events,
      assemble: (request) => assemble(request, tellsDollars(request, baseUrl)),
      errors: responsesErrors,
      // Nothing more comes: reading to the end of the body frees the connection for the next call.
      lingerMs: 100,
    },
    { ...options, idleMs },
  );
  return learning(asking, options.log);
}
