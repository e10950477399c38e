import type { Provider } from '../../agent/ports/provider.ts';
import { assemble } from '../anthropic/assemble.ts';
import { successOf } from '../common/answered.ts';
import { jsonBody } from '../common/body.ts';
import { modelFetch } from '../common/fetch.ts';
import { type ServerOptions, streamingProvider } from '../common/provider.ts';
import { bedrockErrors } from './failure.ts';
import { toBody } from './request.ts';
import { events } from './stream.ts';

/** A request as it is signed. */
export interface Unsigned {
  readonly method: 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns the headers of a request with a signature of this function's role (SigV4). */
export type SignRequest = (request: Unsigned) => Promise<Readonly<Record<string, string>>>;

/** Options of a Bedrock endpoint. */
export interface BedrockOptions extends ServerOptions {
  /** Signs requests, for a server without a key. Without it, the key is sent as a bearer token (a Bedrock API key). */
  readonly sign?: SignRequest;
}

/** Longest silence in ms: a model that thinks sends nothing, and this API has no ping. */
const PATIENCE_MS = 180_000;

/** A model over Bedrock's Converse API: `POST <baseUrl>/model/<model>/converse-stream`. */
export function bedrockProvider(options: BedrockOptions): Provider {
  const { baseUrl, sign, idleMs = PATIENCE_MS } = options;
  return streamingProvider(
    {
      async send(request, key, signal) {
        const body = toBody(request);
        const unsigned = {
          method: 'POST',
          url: addressOf(baseUrl, request.model),
          headers: jsonBody,
          body,
        } as const;
        const headers = sign ? await sign(unsigned) : { ...jsonBody, authorization: `Bearer ${key}` };
        return successOf(modelFetch(unsigned.url, { method: 'POST', headers, body, signal }));
      },
      events,
      assemble,
      errors: bedrockErrors,
      lingerMs: 100,
    },
    { ...options, idleMs },
  );
}

/**
 * The address of a model. The ARN of an inference profile is one segment of the path: Bedrock knows no operation at an
 * address with its slash (vercel/ai#17523).
 */
const addressOf = (baseUrl: string, model: string): URL =>
  new URL(`${baseUrl.replace(/\/+$/, '')}/model/${encodeURIComponent(model)}/converse-stream`);
