import type { Instead } from '../../contract/branches.ts';
import { defined } from '../plain/defined.ts';
import type { ListedPrice, Pinned } from '../session/pinned.ts';
import { priceIn } from './pin.ts';

/**
 * A pinned definition with another prompt, or with another model at the same server, which has no fallbacks: its own answers are
 * what is tried.
 *
 * @param listed the price list's entry for the other model
 */
export function pinInstead(
  pinned: Pinned,
  { system, model }: Instead,
  listed: ListedPrice | undefined,
): Pinned {
  const prompted = { ...pinned, ...defined({ system }) };
  if (model === undefined || model === pinned.model) return prompted;
  const { fallbacks: _, price: __, window: ___, ...rest } = prompted;
  const price = listed && priceIn(listed);
  return { ...rest, model, ...defined({ price, window: listed?.window }) };
}
