/**
 * Removes or defers the parts of Anthropic's SDK that a step does not use, or not at once. Code that uses more of the SDK, such
 * as an agent's tool, still finds all of it.
 *
 * - Its search for credentials that were not passed in: profiles, token exchange, OAuth. The step function passes its key with
 *   each request. A client that is made with a profile or a `config` loads this with its first request, and refuses an invalid
 *   `config` then. 12 KB.
 * - The classes of a hundred errors, by status and code. They are loaded when a request fails, before its error is made. 13 KB.
 * - The encoding of queries as text, including nested objects. It is loaded when a request has a query. 6 KB.
 */

import type { Plugin, PluginBuild } from 'esbuild';
import { later } from './later.ts';
import { replace } from './replace.ts';

export const anthropicDiet: Plugin = {
  name: 'anthropic-diet',
  setup(build) {
    withoutCredentials(build);
    replace(build, /\/@anthropic-ai\/sdk\/client\.mjs$/, withErrorsLater);
    later(build, QUERIES, "export * from '../qs/stringify.mjs';");
    replace(build, /\/@anthropic-ai\/sdk\/internal\/utils\/query\.mjs$/, withQueriesLater);
  },
};

function withoutCredentials(build: PluginBuild): void {
  build.onResolve({ filter: /\/credential-chain\.mjs$/ }, ({ path, importer, resolveDir }) =>
    /node_modules[\\/]@anthropic-ai[\\/]sdk[\\/]client\.mjs$/.test(importer)
      ? { path, namespace: 'anthropic-credentials', pluginData: resolveDir }
      : undefined,
  );
  build.onLoad({ filter: /.*/, namespace: 'anthropic-credentials' }, ({ pluginData }) => ({
    contents: lazily,
    resolveDir: pluginData,
  }));
}

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

const ERRORS = 'import { ERROR_CODE_CLASSES } from "./core/error-classes.mjs";';
const MAKING = 'const err = this.makeStatusError(';

function withErrorsLater(source: string): string {
  if (!source.includes(ERRORS) || source.split(MAKING).length !== 2) return source;
  return source
    .replace(ERRORS, 'let ERROR_CODE_CLASSES = new Map();')
    .replace(MAKING, `({ ERROR_CODE_CLASSES } = await import("./core/error-classes.mjs"));\n${MAKING}`);
}

const QUERIES = 'anthropic-queries';

const withQueriesLater = (source: string): string =>
  source.replace('import * as qs from "../qs/stringify.mjs";', `import { later as qs } from "${QUERIES}";`);
