import { authorizationHeader, edgeHeader } from '../../shared/contract/routes.ts';
import { type AuthRequest, sameText } from './authorize.ts';
import { Refusal } from './problem.ts';

type Headers = AuthRequest['headers'];

/** Refuses requests that have not come through CloudFront, where the deployment has a distribution (`infra/agui-edge.ts`). */
export async function requireEdge(headers: Headers, secret?: () => Promise<string>): Promise<void> {
  if (!secret || sameText(headers[edgeHeader] ?? '', await secret())) return;
  const detail =
    'Requests must come through the CloudFront distribution: use the URL of the output AguiUrl or ChatUrl.';
  throw new Refusal(403, 'Not through CloudFront', { detail });
}

/** The headers with the caller's credential in `Authorization`. Where AWS has checked a signature, that header holds the signature. */
export function asSent(headers: Headers): Headers {
  const moved = headers[authorizationHeader];
  return moved === undefined ? headers : { ...headers, authorization: moved };
}
