import type { StopContext } from '../../shared/agent/define/index.ts';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from './client.ts';
import { addressOf, type RemoteAgentOptions } from './options.ts';
import { type Wire, wireTo } from './wire.ts';

const CARD = '/.well-known/agent-card.json';
const compat = { legacyCompat: { enabled: true } };

/** A remote agent whose card has been read. */
export interface Connected {
  readonly client: Client;
  readonly wire: Wire;
}

/** Reads the agent's card, and chooses the newest version of the protocol and the transport that both sides speak. */
export async function connect(
  options: RemoteAgentOptions,
  context: Pick<StopContext<string, string>, 'services' | 'tenant' | 'secret' | 'setting'>,
): Promise<Connected> {
  const { url: where } = options;
  const url = addressOf(options, typeof where === 'string' ? where : context.setting(where.setting));
  const wire = await wireTo(options, url, context);
  const fetchImpl = wire.fetch;
  const cardResolver = new DefaultAgentCardResolver({ fetchImpl, ...compat });
  const factory = new ClientFactory({
    transports: [
      new JsonRpcTransportFactory({ fetchImpl, ...compat }),
      new RestTransportFactory({ fetchImpl, ...compat }),
    ],
    cardResolver,
  });
  const card = await readCard(cardResolver, url);
  return { client: await factory.createFromAgentCard(card), wire };
}

/** Most agents have their card below their address; the protocol has it at the root of their host. */
async function readCard(resolver: DefaultAgentCardResolver, url: URL) {
  if (url.pathname.endsWith('.json')) return resolver.resolve(url.href, '');
  const below = `${url.origin}${url.pathname.replace(/\/+$/, '')}${CARD}`;
  const atRoot = `${url.origin}${CARD}`;
  try {
    return await resolver.resolve(below, '');
  } catch (error) {
    if (below === atRoot || !/\b404\b/.test(String(error))) throw error;
    return resolver.resolve(atRoot, '');
  }
}
