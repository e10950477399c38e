/** Chooses the model servers of a definition's agents on this machine. */

import type { DeploymentFacts } from '../../shared/contract/facts.ts';
import { startRuleModel } from './start.ts';

export interface Models {
  /** A line for each server, for people. */
  readonly what: readonly string[];
  /** Base URLs by server, if they override the definition's. */
  readonly urls: Readonly<Record<string, string>>;
  /** Servers that rules replace. */
  readonly replaced: readonly string[];
  stop(): Promise<void>;
}

export interface Given {
  /** Values of secrets by name; a server whose key has no value is replaced by a few rules. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Base URLs by server that override the definition's. */
  readonly urls?: Readonly<Record<string, string>>;
  /** Whether to replace all servers, whatever is given. */
  readonly scripted?: boolean;
  /** Whether rules answer at once. */
  readonly hurry?: boolean;
}

/** The definition's own servers if there are keys for them, otherwise a few rules behind the same protocols. */
export async function chooseModels(
  { models }: Pick<DeploymentFacts, 'models'>,
  given: Given,
): Promise<Models> {
  const lacks = (name: string) => {
    const secret = models[name]?.secret;
    return given.scripted || (secret !== undefined && !given.secrets[secret]);
  };
  const replaced = Object.keys(models).filter(lacks);
  const rules = replaced.length > 0 ? await startRuleModel(given.hurry) : undefined;
  const urls = Object.keys(models).flatMap((name) => {
    const url = rules && replaced.includes(name) ? rules.url + versionIn(models[name]) : given.urls?.[name];
    return url === undefined ? [] : [[name, url] as const];
  });
  return {
    what: Object.entries(models).map(([name, { baseUrl, secret }]) => {
      if (!replaced.includes(name)) return `${name} at ${given.urls?.[name] ?? baseUrl}`;
      const why = given.scripted ? '' : `; ${secret} has no value: set it to use the real model`;
      return `${name} is scripted, by a few rules${why}`;
    }),
    urls: Object.fromEntries(urls),
    replaced,
    stop: async () => rules?.stop(),
  };
}

/** The rule model recognizes a protocol by the end of the path, but Gemini's only under the path of its version. */
const versionIn = (server: { readonly baseUrl: string } | undefined): string =>
  /\/v1beta(?=\/?$)/.exec(server?.baseUrl ?? '')?.[0] ?? '';

/**
 * Base URLs from the environment, by server, under the names that the models' SDKs use: `ANTHROPIC_BASE_URL` goes with
 * `ANTHROPIC_API_KEY`, and so on, after the name of a server's secret.
 */
export function urlsIn(
  { models }: Pick<DeploymentFacts, 'models'>,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(models).flatMap(([name, { secret }]) => {
      const [, owner] = /^(.+)_API_KEY$/.exec(secret ?? '') ?? [];
      const url = owner && environment[`${owner}_BASE_URL`];
      return url ? [[name, url] as const] : [];
    }),
  );
}
