import type { ContextEditing } from '../ports/provider.ts';
import type { ContextInputs } from './asked.ts';
import { limitOf } from './size.ts';

/**
 * The editing that the model's server is asked for instead of a fold, with the same numbers; undefined except for the strategy
 * `server`. It clears as much as a fold would, or nothing: each clearing costs the prompt cache everything after it.
 */
export function editingOf(pinned: ContextInputs['pinned'], fallback: number): ContextEditing | undefined {
  const { strategy, foldAt, target, keepToolTurns } = pinned.guardrails.context;
  if (strategy !== 'server') return undefined;
  const limit = limitOf(pinned, fallback);
  return {
    above: Math.floor(foldAt * limit),
    atLeast: Math.floor((foldAt - target) * limit),
    keepResults: keepToolTurns,
  };
}
