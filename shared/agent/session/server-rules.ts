import type { PinnedModel } from './pinned.ts';

/**
 * A requirement of a model's server that a refused request has revealed: its name, which later requests carry, and what it
 * means for them.
 */
export interface LearnedRule {
  readonly rule: string;
  readonly what: string;
}

/**
 * Server requirements that a session has learned, as names, by model. They are stored with the session because they shape every
 * later request, which must repeat the ones before it.
 */
export type ServerRulesKnown = Readonly<Record<string, readonly string[]>>;

type Model = Pick<PinnedModel, 'server' | 'model'>;

const keyOf = ({ server, model }: Model): string => `${server}/${model}`;

/** The known requirements of a model's server; undefined if there are none. */
export const knownOf = (known: ServerRulesKnown | undefined, model: Model): readonly string[] | undefined =>
  known && Object.hasOwn(known, keyOf(model)) ? known[keyOf(model)] : undefined;

/** Adds what a call has revealed. */
export function withRules(
  known: ServerRulesKnown | undefined,
  model: Model,
  learned: readonly LearnedRule[],
): ServerRulesKnown {
  const names = [...(knownOf(known, model) ?? []), ...learned.map(({ rule }) => rule)];
  return { ...known, [keyOf(model)]: [...new Set(names)] };
}
