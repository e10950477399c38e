import { childrenOver } from '../../shared/agent/entrypoints/children.ts';
import { priceOf } from '../../shared/models/prices.ts';

/** Begins sessions from a step, at the listed prices. */
export const beginning = (
  io: Parameters<typeof childrenOver>[0],
  agentOf: Parameters<typeof childrenOver>[1],
) => childrenOver(io, agentOf, priceOf);
