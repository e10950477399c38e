import type { PinnedModel } from './pinned.ts';

/** A rule of a model's server that a refused request has taught: its name, which requests carry from then on, and what it means for them. */
export interface LearnedRule {
  readonly rule: string;
  readonly what: string;
}

/**
 * Rules of servers that a session has learned, as names, by model. They are kept with the session because they shape every later request, which
 * must repeat the ones before it.
 */
export type ServerRulesKnown = Readonly<Record<string, readonly string[]>>;

type Model = Pick<PinnedModel, 'server' | 'model'>;

const keyOf = ({ server, model }: Model): string => `${server}/${model}`;

/** What is known of a model's server; undefined when nothing is. */
export const knownOf = (known: ServerRulesKnown | undefined, model: Model): readonly string[] | undefined =>
  known && Object.hasOwn(known, keyOf(model)) ? known[keyOf(model)] : undefined;

/** With what a call has taught. */
export function withRules(
  known: ServerRulesKnown | undefined,
  model: Model,
  learned: readonly LearnedRule[],
): ServerRulesKnown {
  const names = [...(knownOf(known, model) ?? []), ...learned.map(({ rule }) => rule)];
  return { ...known, [keyOf(model)]: [...new Set(names)] };
}
