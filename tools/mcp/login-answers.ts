import type { FetchLike } from '@modelcontextprotocol/client';
import { isRecord } from '../../shared/agent/plain/merge.ts';

/**
 * A `fetch` to a token server whose answers have the form that the client reads. The client refuses all of an answer for
 * a `null` (jentic/jentic-one#1253), and metadata without fields that only a login page needs
 * (anthropics/claude-code#17274). An error with status 200 (redhat-data-and-ai/template-agent#265) becomes one with 400.
 *
 * @param issuer the token server, for fields that are required and not used
 */
export const soundLogin =
  (send: FetchLike, issuer: string): FetchLike =>
  async (to, init) => {
    const response = await send(to, init);
    if (!response.ok) return response;
    const { status, headers } = response;
    const text = await response.text();
    const answer = objectIn(text);
    if (!answer) return new Response(text || null, { status, headers });
    if ('token_endpoint' in answer)
      return Response.json({ authorization_endpoint: issuer, response_types_supported: ['code'], ...answer });
    if ('access_token' in answer) return Response.json({ token_type: 'Bearer', ...answer });
    return Response.json(answer, { status: typeof answer.error === 'string' ? 400 : status });
  };

/** The fields of a JSON object, without those that are `null`. */
function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const found: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    if (!isRecord(found)) return undefined;
    return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null));
  } catch {
    return undefined;
  }
}
