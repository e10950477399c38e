/** Asks each model of a definition for a few tokens, with the keys of this machine. */

import { urlsIn } from '../../local/model/choose.ts';
import { SHAPE } from '../../shared/agent/config/shape.ts';
import type { Deployment } from '../../shared/agent/define/deployment-keys.ts';
import { modelsNamed } from '../../shared/agent/define/pin.ts';
import type { Provider } from '../../shared/agent/ports/provider.ts';
import type { DeploymentFacts } from '../../shared/contract/facts.ts';
import { modelProvider } from '../../shared/models/models.ts';
import { signHere } from '../eval/sign.ts';
import { type Finding, ok, skipped, wrong } from './finding.ts';

/** Tokens of an answer: some servers refuse fewer. */
const TOKENS = 16;
/** Time in ms that a model has. */
const PATIENCE_MS = 30_000;

type Model = ReturnType<typeof modelsNamed>[number];

/** A finding for each model and server. Models without a key are not asked. */
export function modelsOf(
  { agents, providers }: Pick<Deployment, 'agents' | 'providers'>,
  facts: DeploymentFacts,
  secrets: Readonly<Record<string, string>>,
): Promise<Finding[]> {
  const urls = urlsIn(facts, process.env);
  const servers = Object.entries(facts.models).map(([name, { baseUrl, auth, secret }]) => {
    const key = async () => (secret === undefined ? 'none' : (secrets[secret] ?? ''));
    const server = { baseUrl: urls[name] ?? baseUrl, auth, key };
    return [name, { ...server, ...(secret === undefined && { sign: signHere }) }] as const;
  });
  const provider = modelProvider(Object.fromEntries(servers), providers);
  const named = agents.flatMap(modelsNamed).filter(({ provider }) => provider !== SHAPE);
  const once = new Map(named.map((model) => [`${model.server} ${model.name}`, model]));
  return Promise.all(
    [...once.values()].map((model) => {
      const secret = facts.models[model.server]?.secret;
      return secret !== undefined && !secrets[secret]
        ? skipped(`model ${model.name}`, `${secret} has no value here, so it was not asked.`)
        : asked(provider, model, secret);
    }),
  );
}

async function asked(provider: Provider, model: Model, secret: string | undefined): Promise<Finding> {
  const of = `model ${model.name}`;
  const began = performance.now();
  const content = [{ type: 'text', text: 'Answer with one word.' }];
  const outcome = await provider.complete(
    {
      ...{ provider: model.provider, server: model.server, model: model.name, dialect: model.dialect },
      ...{ maxTokens: TOKENS, request: {}, system: 'You answer briefly.', tools: [] },
      messages: [{ role: 'user', content }],
    },
    () => {},
    AbortSignal.timeout(PATIENCE_MS),
  );
  if (outcome.kind === 'reply')
    return ok(of, `It answers, in ${((performance.now() - began) / 1_000).toFixed(1)} s.`);
  const { message, code } = outcome.failure;
  return wrong(of, `Its server refuses: ${message} (${code}).`, adviceFor(model, secret));
}

function adviceFor({ provider }: Model, secret: string | undefined): string {
  if (secret !== undefined) return `Check ${secret} and the name of the model: docs/providers.md.`;
  return provider === 'bedrock-converse'
    ? 'Check the AWS credentials of this machine, their permission bedrock:InvokeModelWithResponseStream, and the name of the model: docs/providers.md.'
    : 'Is the server up? See docs/providers.md.';
}
