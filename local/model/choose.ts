/** Which model an `npm start` talks to. */

import { type LocalModel, startRuleModel } from './start.ts';

export interface Model {
  /** For people. */
  readonly what: string;
  /** Environment variables of the functions that say where it is. */
  readonly variables: {
    readonly MODEL_BASE_URL?: string;
    readonly MODEL_AUTH?: string;
    readonly SECOND_MODEL_BASE_URL?: string;
  };
  readonly key: string;
  /** Key of the second server, for agents that name it. */
  readonly secondKey?: string;
  stop(): Promise<void>;
}

/** The real one when there is a key for it, else a few rules behind the same protocol. */
export async function chooseModel(env: NodeJS.ProcessEnv): Promise<Model> {
  const first = await chooseFirst(env);
  const { OPENAI_API_KEY: secondKey, OPENAI_BASE_URL: secondUrl } = env;
  return {
    ...first,
    variables: { ...first.variables, ...(secondUrl && { SECOND_MODEL_BASE_URL: secondUrl }) },
    ...(secondKey && { secondKey }),
  };
}

async function chooseFirst({
  ANTHROPIC_API_KEY: key,
  ANTHROPIC_BASE_URL: url,
}: NodeJS.ProcessEnv): Promise<Model> {
  if (!key) return rules(await startRuleModel());
  return {
    what: url ? `of ANTHROPIC_BASE_URL, ${url}` : 'of the Anthropic API',
    // Servers other than Anthropic's look at one header or the other.
    variables: url ? { MODEL_BASE_URL: url, MODEL_AUTH: 'both' } : {},
    key,
    stop: async () => {},
  };
}

const rules = ({ url, stop }: LocalModel): Model => ({
  what: 'a few rules; set ANTHROPIC_API_KEY for a real one',
  variables: { MODEL_BASE_URL: url },
  key: 'no-key-needed',
  stop,
});
