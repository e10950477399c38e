import type { ModelRequest, Provider } from '../../agent/ports/provider.ts';
import { successOf } from '../common/answered.ts';
import { jsonBody } from '../common/body.ts';
import { modelFetch } from '../common/fetch.ts';
import { isStreamed, type ServerOptions, streamingProvider } from '../common/provider.ts';
import { assemble } from './assemble.ts';
import { geminiErrors } from './failure.ts';
import { toBody } from './request.ts';
import { events } from './stream.ts';

/** Longest silence in ms: a model that thinks sends nothing, and this API has no ping. */
const PATIENCE_MS = 180_000;

/**
 * A model over Gemini's API: `POST <baseUrl>/models/<model>:streamGenerateContent`. The key is sent only in the header
 * `x-goog-api-key`, never in the address, which logs would show.
 */
export function geminiProvider(options: ServerOptions): Provider {
  const { baseUrl, idleMs = PATIENCE_MS } = options;
  return streamingProvider(
    {
      send(request, key, signal) {
        const headers = { ...jsonBody, 'x-goog-api-key': key };
        const body = toBody(request);
        return successOf(modelFetch(addressOf(baseUrl, request), { method: 'POST', headers, body, signal }));
      },
      events,
      assemble,
      errors: geminiErrors,
      lingerMs: 100,
    },
    { ...options, idleMs },
  );
}

/** The address of a model. A name with a slash, such as `tunedModels/x`, is a path of its own. */
function addressOf(baseUrl: string, request: ModelRequest): URL {
  const { model } = request;
  const path = (model.includes('/') ? model : `models/${model}`).split('/').map(encodeURIComponent).join('/');
  const method = isStreamed(request) ? 'streamGenerateContent?alt=sse' : 'generateContent';
  return new URL(`${baseUrl.replace(/\/+$/, '')}/${path}:${method}`);
}
