import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Makes a token with these claims. */
type Issue = (claims: Record<string, unknown>) => Promise<string>;

/** Sign-in by the code flow, for public clients with PKCE. Every visitor is Ada, and agrees. */
export function codeFlow(issue: Issue) {
  const asked = new Map<string, URLSearchParams>();

  /** Redirects the browser back at once. */
  function authorize({ searchParams }: URL, response: ServerResponse): void {
    const back = new URL(searchParams.get('redirect_uri') ?? '');
    if (searchParams.get('code_challenge_method') !== 'S256') return void response.writeHead(400).end();
    const code = randomUUID();
    asked.set(code, searchParams);
    back.searchParams.set('code', code);
    back.searchParams.set('state', searchParams.get('state') ?? '');
    response.writeHead(302, { location: back.href }).end();
  }

  /** Exchanges a code for tokens, once, if the caller has the verifier of its challenge. */
  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const sent = new URLSearchParams(Buffer.concat(chunks).toString());
    const code = sent.get('code') ?? '';
    const known = asked.get(code);
    asked.delete(code);
    const challenge = createHash('sha256')
      .update(sent.get('code_verifier') ?? '')
      .digest('base64url');
    if (known?.get('code_challenge') !== challenge) return void response.writeHead(400).end();
    const nonce = known.get('nonce') ?? undefined;
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        token_type: 'Bearer',
        expires_in: 3600,
        access_token: await issue({}),
        id_token: await issue({ aud: known.get('client_id'), nonce }),
      }),
    );
  }

  return { authorize, token };
}
