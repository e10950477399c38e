import type { Price } from '../config/price.ts';
import { tellsAnything } from '../config/said.ts';
import type { AnyGuard } from '../guardrails/guard.ts';
import { defined } from '../plain/defined.ts';
import { canonicalJson, hash } from '../plain/hash.ts';
import type { ListedPrice, Pinned, PinnedGuard, PinnedModel, PinnedPrice } from '../session/pinned.ts';
import { inputSchemaOf } from '../tools/input-schema.ts';
import { withSearch } from '../tools/search/plan.ts';
import type { HasTools } from '../tools/toolset.ts';
import type { Agent } from './agent.ts';
import { pinAnswer } from './pin-answer.ts';
import { withPrice } from './price-table.ts';

/** The models that an agent names: its own, its fallbacks, its summarizer and its judge. */
export const modelsNamed = ({
  model: { fallbacks, summarizer, judge, ...model },
  prices,
}: Pick<Agent, 'model' | 'prices'>) =>
  [model, ...fallbacks, ...(summarizer ? [summarizer] : []), ...(judge ? [judge] : [])].map((one) =>
    withPrice(one, prices),
  );

/**
 * The pinned form of an agent. A model's own price and window override the listed ones.
 *
 * @param listed the price list's entry for the agent's model
 * @param others the entries for each of its other models, in the order of {@link modelsNamed}
 */
export function pin(
  agent: Agent,
  listed: ListedPrice | undefined,
  others: readonly (ListedPrice | undefined)[] = [],
): Pinned {
  const { fallbacks, summarizer, judge, ...model } = agent.model;
  const pinOne = (one: Parameters<typeof pinModel>[0], from: ListedPrice | undefined) =>
    pinModel(withPrice(one, agent.prices), from);
  const { price, ...first } = pinOne(model, listed);
  const pinned: Pinned = {
    agent: agent.name,
    version: agent.version,
    ...first,
    system: agent.system,
    tools: agent.tools.map(({ name, description, input }) => ({
      name,
      description,
      input_schema: inputSchemaOf(input),
    })),
    ...(tellsAnything(agent.context) && { context: agent.context }),
    ...(agent.answer && pinAnswer(agent.answer, agent.system)),
    ...rulesOf(agent),
    ...defined({ price }),
    ...(fallbacks.length > 0 && { fallbacks: fallbacks.map((one, i) => pinOne(one, others[i])) }),
    ...(summarizer && { summarizer: pinOne(summarizer, others[fallbacks.length]) }),
    ...(judge && { judge: pinOne(judge, others[fallbacks.length + (summarizer ? 1 : 0)]) }),
  };
  // The number of tools of an agent with tool sources is not known yet.
  return agent.toolSources.length > 0 ? pinned : withSearch(pinned, agent.toolSearch, ownNames(agent));
}

/** Names of the tools that an agent defines in code. */
export const ownNames = ({ tools }: Pick<HasTools, 'tools'>): string[] => tools.map(({ name }) => name);

/** The parts of an agent that a run pins. The session pins the rest, because history is byte-stable. */
export const rulesOf = ({ limits, guardrails, approvals, guards }: Agent) => ({
  limits,
  guardrails,
  approvals,
  guards: Object.fromEntries(guards.map((guard) => [guard.name, pinGuard(guard)])),
});

export const pinGuard = ({ version = '', settings = {} }: AnyGuard): PinnedGuard => ({ version, settings });

/** A definition and the hash of its content, under which it is stored. */
export interface Definition {
  readonly pinned: Pinned;
  readonly hash: string;
}

const lastDefinitions = new WeakMap<Agent, Definition & { readonly prices: string }>();

/**
 * The definition of an agent, as {@link pin} makes it. An agent does not change while its code runs, so the definition is
 * computed again only after a listed price has changed.
 *
 * @param listed the price list's entries for each of its models, in the order of {@link modelsNamed}
 */
export function definitionOf(agent: Agent, listed: readonly (ListedPrice | undefined)[]): Definition {
  const prices = canonicalJson(listed);
  const known = lastDefinitions.get(agent);
  if (known?.prices === prices) return known;
  const pinned = pin(agent, listed[0], listed.slice(1));
  const made = { prices, pinned, hash: hashOf(pinned) };
  lastDefinitions.set(agent, made);
  return made;
}

/** The content hash under which a definition is stored. */
export const hashOf = (pinned: Pinned): string => hash(canonicalJson(pinned), 40);

function pinModel(
  { name, price: own, window: ownWindow, ...rest }: ReturnType<typeof modelsNamed>[number],
  listed: ListedPrice | undefined,
): PinnedModel {
  const price = own ? ownPrice(own, rest.provider) : listed && priceIn(listed);
  const window = ownWindow ?? listed?.window;
  return { ...rest, model: name, ...(window && { window }), ...defined({ price }) };
}

/**
 * The agent's own price. Only the Messages API has always charged separately for cache writes. Elsewhere a price without them
 * includes them in `input`, where they were before servers began to count them.
 */
const ownPrice = (price: Price, provider: string): PinnedPrice =>
  provider === 'anthropic' || price.cacheWrite > 0 ? price : { ...price, cacheWrite: price.input };

/** The pinned form of a listed price. */
export const priceIn = ({ window: _, ...price }: ListedPrice): PinnedPrice => price;
