import { fromNano, toNano } from '../../../contract/money.ts';
import type { Cap } from '../../session/parent.ts';
import type { Loaded } from './load.ts';

/** The rules of a step with what the session may spend now. The stored definition keeps the session's own limits. */
export function spendable(loaded: Loaded): Loaded {
  const capped = withoutReserved(withinCap(loaded));
  if (capped === loaded) return loaded;
  const { limits, guardrails } = loaded.pinned;
  return { ...capped, own: { limits, guardrails } };
}

/**
 * The rules of a child with what its parent could spare: its own limits count if they are lower. A limit that the parent gave ends
 * the run, and is not raised, because the tree has no more than that.
 */
function withinCap(loaded: Loaded): Loaded {
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

/** The rules of a session that has given parts of its limits to sessions in the background: it has the rest. */
function withoutReserved(loaded: Loaded): Loaded {
  const caps = (loaded.view.session.background ?? []).flatMap(({ cap }) => cap ?? []);
  if (caps.length === 0) return loaded;
  const { pinned } = loaded;
  const tokens = caps.reduce((sum, cap) => sum + (cap.tokens ?? 0), 0);
  const nano = caps.reduce((sum, cap) => sum + toNano(cap.usd ?? 0), 0);
  const { tokenBudget, costLimitUsd } = pinned.limits;
  const rest = {
    tokenBudget: restOf(tokenBudget, tokens),
    costLimitUsd: fromNano(restOf(toNano(costLimitUsd), nano)),
  };
  return { ...loaded, pinned: { ...pinned, limits: { ...pinned.limits, ...rest } } };
}

/** A limit of 0 is none, so what is left of one is never 0. */
const restOf = (limit: number, reserved: number): number => (limit > 0 ? Math.max(1, limit - reserved) : 0);

/** Limits of 0 are none. */
const lower = (own: { readonly tokenBudget: number; readonly costLimitUsd: number }, cap: Cap) => ({
  tokenBudget: lowest(own.tokenBudget, cap.tokens),
  costLimitUsd: lowest(own.costLimitUsd, cap.usd),
});

const lowest = (own: number, cap: number | undefined): number =>
  cap === undefined ? own : own > 0 ? Math.min(own, cap) : cap;
