import { modelFetch } from '../common/fetch.ts';
import { isObject, parse } from '../common/json.ts';

/**
 * `fetch` for the SDK, which reads an error only at `error`. Mistral, Cerebras and FastAPI put theirs at the root of
 * the body: then it is moved there, so that the server's message is not lost.
 */
export async function chatFetch(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await modelFetch(url, init);
  if (response.ok) return response;
  const { status, headers } = response;
  const text = await response.text();
  const body = parse(text);
  const told = isObject(body) && !('error' in body) ? JSON.stringify({ error: body }) : text;
  return new Response(told, { status, headers: withoutLength(headers) });
}

function withoutLength(headers: Headers): Headers {
  const kept = new Headers(headers);
  kept.delete('content-length');
  kept.delete('content-encoding');
  return kept;
}
