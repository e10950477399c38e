import type { Cap } from '../../session/parent.ts';
import type { Loaded } from './load.ts';

/**
 * The rules of a child with what its parent could spare: its own limits count if they are lower. A limit that the parent gave ends
 * the run, and is not raised, because the tree has no more than that.
 */
export function withinCap(loaded: Loaded): Loaded {
  const cap = loaded.view.session.parent?.cap;
  if (!cap) return loaded;
  const { pinned } = loaded;
  const { limits, guardrails } = pinned;
  const budget = { ...guardrails.budget, enforcement: 'strict' as const, recover: false };
  return {
    ...loaded,
    pinned: {
      ...pinned,
      limits: { ...limits, ...lower(limits, cap) },
      guardrails: { ...guardrails, budget },
    },
  };
}

/** Limits of 0 are none. */
const lower = (own: { readonly tokenBudget: number; readonly costLimitUsd: number }, cap: Cap) => ({
  tokenBudget: lowest(own.tokenBudget, cap.tokens),
  costLimitUsd: lowest(own.costLimitUsd, cap.usd),
});

const lowest = (own: number, cap: number | undefined): number =>
  cap === undefined ? own : own > 0 ? Math.min(own, cap) : cap;
