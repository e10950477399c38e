import definition from '#definition';
import type { Provider } from '../../shared/agent/ports/provider.ts';
import { clients } from '../../shared/aws/clients.ts';
import type { AwsOptions } from '../../shared/aws/ports.ts';
import type { Secrets } from '../../shared/edge/secrets.ts';
import { log } from '../../shared/logger.ts';
import { type ModelServerOptions, modelProvider, readModels } from '../../shared/models/models.ts';
import { envRecord } from '../middleware/environment.ts';

/** The settings and secrets for tools: the definition's settings, overridden by those of the deploy, and the granted secrets. */
export function declaredForTools(): Pick<AwsOptions, 'settings' | 'secretIds'> {
  const defaults = Object.entries(definition.settings).map(([name, setting]) => [name, setting.default]);
  return {
    settings: { ...Object.fromEntries(defaults), ...envRecord('SETTINGS') },
    secretIds: envRecord('SECRETS'),
  };
}

/** The models of the definition, at the servers that it declares or that the deploy sets instead. */
export function declaredModels(secrets: Secrets): Provider {
  const urls = envRecord('MODEL_URLS');
  const ids = envRecord('SECRETS');
  const servers = Object.entries(definition.models).map(([name, { baseUrl, auth, secret }]) => {
    const server: ModelServerOptions = {
      baseUrl: urls[name] ?? baseUrl,
      // The definition says how the declared server takes its key. An override may read either header.
      auth: urls[name] === undefined ? auth : 'both',
      key: keyOf(secret, ids, secrets),
      ...(secret === undefined && { sign: signByRole }),
      log: (message, facts) => log('warn', message, facts),
    };
    return [name, server] as const;
  });
  return modelProvider(Object.fromEntries(servers), definition.providers);
}

/** Signs with this function's role. Loaded with the first request that needs it. */
const signByRole: NonNullable<ModelServerOptions['sign']> = async (request) => {
  const { modelRequestSigner } = await import('../../shared/models/bedrock/sign.ts');
  return modelRequestSigner(clients.dynamo().config)(request);
};

/** Starts to load the code that talks to the models of the definition's agents. */
export const readDeclaredModels = (): void => readModels(definition.agents);

/** Servers that need no key get a placeholder. */
function keyOf(
  name: string | undefined,
  ids: Readonly<Record<string, string>>,
  secrets: Secrets,
): ModelServerOptions['key'] {
  if (name === undefined) return async () => 'none';
  const id = ids[name];
  if (id === undefined) throw new Error(`environment of this function: SECRETS has no ${name}`);
  return (refresh) => (refresh ? secrets.refresh(id) : secrets.get(id));
}
