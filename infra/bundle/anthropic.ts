/**
 * How Anthropic's SDK finds credentials that nobody gave it: profiles, token exchange, OAuth. Loaded when it is used.
 *
 * The step function gives its key with each request. A tool of an agent may still make a client with a profile or a
 * `config`: then the chunk is loaded by that client's first request, and a `config` that is not valid is refused there.
 * 12 KB.
 */

import type { Plugin } from 'esbuild';

export const anthropicDiet: Plugin = {
  name: 'anthropic-diet',
  setup(build) {
    build.onResolve({ filter: /\/credential-chain\.mjs$/ }, ({ path, importer, resolveDir }) =>
      /node_modules[\\/]@anthropic-ai[\\/]sdk[\\/]client\.mjs$/.test(importer)
        ? { path, namespace: 'anthropic-credentials', pluginData: resolveDir }
        : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'anthropic-credentials' }, ({ pluginData }) => ({
      contents: lazily,
      resolveDir: pluginData,
    }));
  },
};

/** The parts of a result that the client reads at once are those of the original. */
const lazily = `
  const load = () => import('./lib/credentials/credential-chain.mjs');
  export const defaultCredentials = async (...args) => (await load()).defaultCredentials(...args);
  export function resolveCredentialsFromConfig(config, options) {
    let loaded;
    const resolved = () => (loaded ??= load().then((it) => it.resolveCredentialsFromConfig(config, options)));
    const { workspace_id: workspace, base_url: baseURL, authentication } = config;
    const isNamed = workspace && authentication.type === 'user_oauth';
    return {
      provider: async (...args) => (await resolved()).provider(...args),
      extraHeaders: isNamed ? { 'anthropic-workspace-id': workspace } : {},
      baseURL: baseURL || undefined,
    };
  }
`;
