import { defined } from '../../agent/plain/defined.ts';
import type { ModelRequest } from '../../agent/ports/provider.ts';
import type { Billing } from '../../agent/session/billing.ts';
import type { ServingMode, Unpriced } from '../../contract/unpriced.ts';
import { isObject, type Json, objectAt } from '../common/json.ts';
import { dialectOf } from '../dialects.ts';

/** Reads the part of a bill that is not in the usage from the chunks of a reply. */
export interface BillingReader {
  take(chunk: Json, delta: Json): void;
  /** Undefined if the chunks report nothing of the kind. */
  billing(): Billing | undefined;
}

/** Values of `service_tier`; an undefined mode costs the listed price. */
const TIERS: Readonly<Record<string, ServingMode | undefined>> = {
  auto: undefined,
  default: undefined,
  standard: undefined,
  flex: 'flex',
  priority: 'priority',
  scale: 'scale',
  batch: 'batch',
};

/** More USD than one call can cost: a higher figure is not a cost. */
const TOO_DEAR = 10_000;

/** @param tellsDollars whether `usage.cost` of this server is in USD */
export function billingReader(tellsDollars: boolean): BillingReader {
  let tier: string | undefined;
  let usd: number | undefined;
  const found = new Set<Unpriced>();
  return {
    take(chunk, delta) {
      if (typeof chunk.service_tier === 'string') tier = chunk.service_tier;
      if (Array.isArray(delta.annotations) && delta.annotations.some(isCitation)) found.add('web_search');
      const { usage } = chunk;
      if (!isObject(usage)) return;
      if (tellsDollars) usd = dollarsIn(usage) ?? usd;
      if (heardOrSpoken(usage)) found.add('audio');
      if (isCount(usage.num_sources_used)) found.add('web_search');
    },
    billing() {
      const known = tier !== undefined && Object.hasOwn(TIERS, tier);
      const mode = known ? TIERS[tier ?? ''] : undefined;
      const unpriced = [...found, ...(tier !== undefined && !known ? (['other_mode'] as const) : [])];
      const billing = {
        ...(mode && { modes: [mode] }),
        ...defined({ usd }),
        ...(unpriced.length > 0 && { unpriced }),
      };
      return Object.keys(billing).length > 0 ? billing : undefined;
    },
  };
}

/**
 * The price that OpenRouter charges, in credits of one dollar. With the user's own provider key it charges only a fee,
 * and the provider bills the rest (openrouter.ai/docs/use-cases/usage-accounting).
 */
function dollarsIn(usage: Json): number | undefined {
  const fee = dollars(usage.cost);
  if (fee === undefined || usage.is_byok !== true) return fee;
  const upstream = dollars(objectAt(usage, 'cost_details').upstream_inference_cost);
  return upstream === undefined ? undefined : fee + upstream;
}

const dollars = (told: unknown): number | undefined =>
  typeof told === 'number' && told >= 0 && told < TOO_DEAR ? told : undefined;

/** A cited page was found by a search, which has a fee of its own. */
const isCitation = (annotation: unknown): boolean =>
  isObject(annotation) && annotation.type === 'url_citation';

const heardOrSpoken = (usage: Json): boolean =>
  isCount(objectAt(usage, 'prompt_tokens_details').audio_tokens) ||
  isCount(objectAt(usage, 'completion_tokens_details').audio_tokens);

const isCount = (told: unknown): boolean => typeof told === 'number' && told > 0;

/** Whether `usage.cost` is the server's charge in USD: elsewhere the field may mean anything. */
export const tellsDollars = ({ provider, dialect }: ModelRequest, baseUrl: string): boolean =>
  dialectOf({ provider, baseUrl, dialect }) === 'openrouter';
