import definition from '#definition';
import type { Provider } from '../../shared/agent/ports.ts';
import type { AwsOptions } from '../../shared/aws/ports.ts';
import type { Secrets } from '../../shared/edge/secrets.ts';
import { log } from '../../shared/logger.ts';
import { modelProvider, readModels, type ServerOptions } from '../../shared/models/models.ts';
import { envRecord } from '../middleware/environment.ts';

/** What tools may ask for: the definition's settings, with what the deploy has set over them, and the granted secrets. */
export function declaredForTools(): Pick<AwsOptions, 'settings' | 'secretIds'> {
  const defaults = Object.entries(definition.settings).map(([name, setting]) => [name, setting.default]);
  return {
    settings: { ...Object.fromEntries(defaults), ...envRecord('SETTINGS') },
    secretIds: envRecord('SECRETS'),
  };
}

/** The models of the definition, at the servers that it declares or that the deploy has put in their places. */
export function declaredModels(secrets: Secrets): Provider {
  const urls = envRecord('MODEL_URLS');
  const ids = envRecord('SECRETS');
  const servers = Object.entries(definition.models).map(([name, { baseUrl, auth, secret }]) => {
    const server: ServerOptions = {
      baseUrl: urls[name] ?? baseUrl,
      // How the key is sent was declared for the declared server; another one looks at one header or the other.
      auth: urls[name] === undefined ? auth : 'both',
      key: keyOf(secret, ids, secrets),
      log: (message, facts) => log('warn', message, facts),
    };
    return [name, server] as const;
  });
  return modelProvider(Object.fromEntries(servers), definition.providers);
}

/** Begins to read what speaks with the models of the definition's agents. */
export const readDeclaredModels = (): void => readModels(definition.agents);

/** Servers that look at no key get a word that stands for none. */
function keyOf(
  name: string | undefined,
  ids: Readonly<Record<string, string>>,
  secrets: Secrets,
): ServerOptions['key'] {
  if (name === undefined) return async () => 'none';
  const id = ids[name];
  if (id === undefined) throw new Error(`environment of this function: SECRETS has no ${name}`);
  return (refresh) => (refresh ? secrets.refresh(id) : secrets.get(id));
}
