import * as z from 'zod';
import type { Agent, Approvals, Guardrails, Limits, Price, ProviderName, ServerName } from './define.ts';
import type { AnyGuard, Slice } from './guardrails/guard.ts';
import { canonicalJson, hash } from './hash.ts';

/**
 * What a session is pinned to: all that the model's prompt and the loop's rules are made of, as data. Stored once per
 * content hash. The prompt's part is that of the session's start, so that a deploy never alters history (platform-facts.md
 * 0.1); the rules are those of the run's start (A21, `rules.ts`). The tools' code is not in here: a call runs on what is
 * deployed now.
 */
export interface Pinned {
  readonly agent: string;
  readonly version: string;
  /** Absent on sessions from before there was more than one. */
  readonly provider?: ProviderName;
  readonly server?: ServerName;
  readonly model: string;
  readonly maxTokens: number;
  readonly request: Readonly<Record<string, unknown>>;
  readonly system: string;
  readonly tools: readonly PinnedTool[];
  readonly limits: Limits;
  readonly guardrails: Guardrails;
  readonly approvals: Approvals;
  /** The agent's own guards, by name. Absent on definitions from before they were pinned: then as deployed. */
  readonly guards?: Readonly<Record<string, PinnedGuard>>;
  /** Absent when nobody knows the price: the cost counts as 0 then (A10). */
  readonly price?: Price;
  /** Models to be asked in the place of the first (T14). */
  readonly fallbacks?: readonly PinnedModel[];
}

/** What a run keeps of a guard: its code is what is deployed now. */
export interface PinnedGuard {
  readonly version: string;
  readonly settings: Slice;
}

/** A model of a definition, and how it is asked. */
export interface PinnedModel {
  readonly provider: ProviderName;
  readonly server: ServerName;
  readonly model: string;
  readonly maxTokens: number;
  readonly request: Readonly<Record<string, unknown>>;
  readonly price?: Price;
}

/** A tool as the model is told of it. */
export interface PinnedTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** Looks up a model's price; undefined when it is not in the table. */
export type PriceOf = (model: string) => Promise<Price | undefined>;

/**
 * The pinned form of an agent. A model's own price goes before the listed one.
 *
 * @param listed price of the agent's model, and of each of its fallbacks
 */
export function pin(
  agent: Agent,
  listed: Price | undefined,
  listedFallbacks: readonly (Price | undefined)[] = [],
): Pinned {
  const { fallbacks, ...model } = agent.model;
  const { price, ...first } = pinModel(model, listed);
  return {
    agent: agent.name,
    version: agent.version,
    ...first,
    system: agent.system,
    tools: agent.tools.map(({ name, description, input }) => ({
      name,
      description,
      input_schema: z.toJSONSchema(input, { target: 'draft-2020-12', io: 'input' }),
    })),
    ...rulesOf(agent),
    ...(price && { price }),
    ...(fallbacks.length > 0 && { fallbacks: fallbacks.map((one, i) => pinModel(one, listedFallbacks[i])) }),
  };
}

/** What of an agent is held to run by run; the rest is the session's, because history is byte-stable. */
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
 * The definition of an agent, as {@link pin} makes it. An agent does not change while its code runs, so it is worked out
 * again only when a listed price has changed.
 *
 * @param listed prices of the agent's model and of each of its fallbacks
 */
export function definitionOf(agent: Agent, listed: readonly (Price | undefined)[]): Definition {
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
  { name, price: own, ...rest }: Omit<Agent['model'], 'fallbacks'>,
  listed: Price | undefined,
): PinnedModel {
  const price = own ?? listed;
  return { ...rest, model: name, ...(price && { price }) };
}

/** The model that a run asks: its definition's own, or the `fallback`-th of the others, from 1. */
export function modelAt(pinned: Pinned, fallback = 0): PinnedModel {
  const models = modelsOf(pinned);
  return models[fallback] ?? models[0];
}

/** The models of a definition in the order in which they are asked; the first is its own. */
export function modelsOf(pinned: Pinned): readonly [PinnedModel, ...PinnedModel[]] {
  const {
    provider = 'anthropic',
    server = 'primary',
    model,
    maxTokens,
    request,
    price,
    fallbacks = [],
  } = pinned;
  return [{ provider, server, model, maxTokens, request, ...(price && { price }) }, ...fallbacks];
}
