/** The models of a definition while evals are played. */

import { setTimeout as pause } from 'node:timers/promises';
import { chooseModels, urlsIn } from '../../local/model/choose.ts';
import type { Agent } from '../../shared/agent/define/agent.ts';
import type { Deployment } from '../../shared/agent/define/deployment-keys.ts';
import { withPrice } from '../../shared/agent/define/price-table.ts';
import type { Provider } from '../../shared/agent/ports/provider.ts';
import type { ModelOutcome } from '../../shared/agent/session/reply.ts';
import type { DeploymentFacts } from '../../shared/contract/facts.ts';
import { modelProvider } from '../../shared/models/models.ts';
import { priceOf } from '../../shared/models/prices.ts';
import type { Answering } from '../../testing/scripted-model.ts';
import { signHere } from './sign.ts';

export interface EvalModels {
  readonly answer: Answering;
  /** Whether rules replace an agent's first model. */
  readonly isScripted: (agent: Agent) => boolean;
  stop(): Promise<void>;
}

/** The servers of the definition for which there are keys, as in `steploop dev`; otherwise rules that answer at once. */
export async function openModels(
  { providers }: Deployment,
  facts: DeploymentFacts,
  {
    secrets,
    scripted,
    signal,
  }: {
    readonly secrets: Readonly<Record<string, string>>;
    readonly scripted: boolean;
    /** Ends current requests and all later ones. */
    readonly signal: AbortSignal;
  },
): Promise<EvalModels> {
  const chosen = await chooseModels(facts, {
    secrets,
    scripted,
    urls: urlsIn(facts, process.env),
    hurry: true,
  });
  const servers = Object.entries(facts.models).map(([name, { baseUrl, auth, secret }]) => {
    const url = chosen.urls[name];
    const key = async () => (secret === undefined ? 'none' : (secrets[secret] ?? 'none'));
    return [
      name,
      {
        ...{ baseUrl: url ?? baseUrl, auth: url === undefined ? auth : ('both' as const), key },
        ...(secret === undefined && !chosen.replaced.includes(name) && { sign: signHere }),
      },
    ] as const;
  });
  const provider = modelProvider(Object.fromEntries(servers), providers);
  return {
    answer: patient(provider, signal),
    isScripted: ({ model }) => chosen.replaced.includes(model.server),
    stop: () => chosen.stop(),
  };
}

/** The longest pause in ms, whatever a server asks for, because a person is waiting for the eval. */
const LONGEST = 60_000;

/**
 * Adds real pauses, since the clock of a rehearsal does not wait: a retryable failure is returned only after the time that the
 * server asks for, or after a second, doubled with each consecutive failure.
 */
export function patient(provider: Provider, signal: AbortSignal, wait = pause): Answering {
  let inARow = 0;
  return async ({ request, signal: steps, stream }) => {
    if (signal.aborted) return interrupted;
    const outcome = await provider.complete(
      request,
      (delta) => delta.kind === 'text' && stream(delta.text),
      AbortSignal.any([steps, signal]),
    );
    if (signal.aborted) return interrupted;
    if (outcome.kind === 'failed' && outcome.failure.kind === 'retry') {
      const ms = Math.min(LONGEST, outcome.failure.retryAfterMs ?? 1_000 * 2 ** inARow);
      inARow += 1;
      await wait(ms, undefined, { signal }).catch(() => undefined);
    } else inARow = 0;
    return outcome;
  };
}

const interrupted: ModelOutcome = {
  kind: 'failed',
  failure: { kind: 'fatal', code: 'interrupted', message: 'The eval was interrupted.' },
};

/** The agent with list prices for those models that have no prices of their own. */
export async function priced(agent: Agent): Promise<Agent> {
  const withListed = async <M extends Omit<Agent['model'], 'fallbacks' | 'summarizer' | 'judge'>>(
    own: M,
  ): Promise<M> => {
    const model = withPrice(own, agent.prices);
    const listed = await priceOf(model.name);
    if (!listed) return model;
    const { window, ...price } = listed;
    return { ...model, price: model.price ?? price, window: model.window ?? window };
  };
  const { fallbacks, summarizer, judge, ...first } = agent.model;
  return {
    ...agent,
    model: {
      ...(await withListed(first)),
      fallbacks: await Promise.all(fallbacks.map(withListed)),
      ...(summarizer && { summarizer: await withListed(summarizer) }),
      ...(judge && { judge: await withListed(judge) }),
    },
  };
}
