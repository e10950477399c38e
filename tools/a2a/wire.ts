import type { StopContext } from '../../shared/agent/define/index.ts';
import { inHeader } from '../plain/in-header.ts';
import { tenantSecret } from '../plain/tenant-secret.ts';
import type { RemoteAgentOptions } from './options.ts';

/** Default bytes of one answer, as for every guarded `fetch`. */
const USUAL_BYTES = 5_000_000;
/** Most bytes of an agent card. */
const CARD_BYTES = 500_000;
/** Seconds for the card, for a look at a task and for a cancel. */
export const SHORT_SECONDS = 20;

type Context = Pick<StopContext<string, string>, 'services' | 'tenant' | 'secret'>;

/** The network access of one call. */
export interface Wire {
  readonly fetch: typeof fetch;
  /** The credential, which errors must not repeat. */
  readonly secret: string | undefined;
  /** For the message itself: an agent may answer it only when the task has ended. */
  readonly patient: (seconds: number) => void;
}

/**
 * The guarded `fetch` of the call with its credential, which goes to the agent's own origins only. Redirects are refused: their
 * target would get what is meant for the agent.
 */
export async function wireTo(
  { auth, origins = [], maxResultBytes = USUAL_BYTES }: RemoteAgentOptions,
  { origin }: URL,
  context: Context,
): Promise<Wire> {
  const name = auth && ('bearer' in auth ? auth.bearer : auth.secret);
  const secret = name === undefined ? undefined : await tenantSecret(name, auth?.perTenant, context);
  const value = secret === undefined ? undefined : inHeader(secret, `the secret ${name}`);
  const allowed = [origin, ...origins];
  let seconds = SHORT_SECONDS;
  return {
    secret,
    patient(wanted) {
      seconds = wanted;
    },
    fetch: (input, init = {}) => {
      const url = new URL(input instanceof Request ? input.url : String(input));
      if (!allowed.includes(url.origin))
        throw new Error(
          `its card says that it is served at ${url.origin}, and not at ${allowed.join(' or ')}: add that origin to "origins" if it may get the task and the credential`,
        );
      const headers = new Headers(init.headers);
      if (auth && value !== undefined) {
        if ('bearer' in auth) headers.set('authorization', `Bearer ${value}`);
        else headers.set(auth.header, value);
      }
      const isCard = init.method === undefined || init.method === 'GET';
      return context.services.fetch(url, {
        ...{ ...init, headers, redirect: 'error', timeoutSeconds: seconds },
        maxBytes: isCard && url.pathname.endsWith('.json') ? CARD_BYTES : maxResultBytes,
      });
    },
  };
}
