import type { ContextEditing } from '../ports/provider.ts';
import type { Asked } from './asked.ts';
import { limitOf } from './size.ts';

/**
 * What the model's server is asked to do in the place of a fold, by the same numbers: undefined but for the strategy
 * `server`. It clears as much as a fold would, or nothing: each clearing costs the prompt cache what stands behind it.
 */
export function editingOf(pinned: Asked['pinned'], fallback: number): ContextEditing | undefined {
  const { strategy, foldAt, target, keepToolTurns } = pinned.guardrails.context;
  if (strategy !== 'server') return undefined;
  const limit = limitOf(pinned, fallback);
  return {
    above: Math.floor(foldAt * limit),
    atLeast: Math.floor((foldAt - target) * limit),
    keepResults: keepToolTurns,
  };
}
