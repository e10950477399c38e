/** Which model an `npm start` talks to. */

import { type LocalModel, startRuleModel } from './start.ts';

export interface Model {
  /** For people. */
  readonly what: string;
  /** Addresses of model servers, by the name that a definition gives them, where they are not those that it declares. */
  readonly urls: Readonly<Record<string, string>>;
  /** Key of the server `primary`. */
  readonly key: string;
  stop(): Promise<void>;
}

/** The real one when there is a key for it, else a few rules behind the same protocol. */
export async function chooseModel({
  ANTHROPIC_API_KEY: key,
  ANTHROPIC_BASE_URL: url,
}: NodeJS.ProcessEnv): Promise<Model> {
  if (!key) return rules(await startRuleModel());
  return {
    what: url ? `of ANTHROPIC_BASE_URL, ${url}` : 'of the Anthropic API',
    urls: url ? { primary: url } : {},
    key,
    stop: async () => {},
  };
}

const rules = ({ url, stop }: LocalModel): Model => ({
  what: 'a few rules; set ANTHROPIC_API_KEY for a real one',
  urls: { primary: url },
  key: 'no-key-needed',
  stop,
});
