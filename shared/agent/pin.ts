import * as z from 'zod';
import type { Agent, Guardrails, Limits, Price } from './define.ts';

/**
 * What a session is pinned to when it starts: all that the model's prompt and the loop's rules are made of,
 * as data. Stored once per content hash, so that a deploy never alters a live session (platform-facts.md 0.1,
 * A21). The tools' code is not in here: a call runs on what is deployed now.
 */
export interface Pinned {
  readonly agent: string;
  readonly version: string;
  readonly model: string;
  readonly maxTokens: number;
  readonly request: Readonly<Record<string, unknown>>;
  readonly system: string;
  readonly tools: readonly PinnedTool[];
  readonly limits: Limits;
  readonly guardrails: Guardrails;
  /** Absent when nobody knows the price: the cost counts as 0 then (A10). */
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

/** The pinned form of an agent. Its own price goes before the listed one. */
export function pin(agent: Agent, listed: Price | undefined): Pinned {
  const price = agent.model.price ?? listed;
  return {
    agent: agent.name,
    version: agent.version,
    model: agent.model.name,
    maxTokens: agent.model.maxTokens,
    request: agent.model.request,
    system: agent.system,
    tools: agent.tools.map(({ name, description, input }) => ({
      name,
      description,
      input_schema: z.toJSONSchema(input, { target: 'draft-2020-12', io: 'input' }),
    })),
    limits: agent.limits,
    guardrails: agent.guardrails,
    ...(price && { price }),
  };
}
