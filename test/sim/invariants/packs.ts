/**
 * Invariant 30: packs contain what their slots contain. Checked when one is put, and when HEAD says how far they go.
 */

import { ownStart } from '../../../shared/agent/session/origin.ts';
import type { Slot } from '../../../shared/agent/session/slots.ts';
import type { Checks, SessionFacts } from '../ledger.ts';
import type { Committed } from './commits.ts';

/** A pack that reaches the store. */
export interface Packed {
  readonly facts: SessionFacts;
  readonly version: number;
  readonly slots: readonly Slot[];
}

export const packChecks: Checks<Packed> = {
  '30 a pack holds committed slots as they are': ({ facts, version, slots }) => {
    for (const [i, slot] of slots.entries()) {
      if (slot.n >= version) return `slot ${slot.n} is packed, and ${version} are committed`;
      if (i > 0 && slot.n !== (slots[i - 1]?.n ?? 0) + 1) return `slot ${slot.n} follows ${slots[i - 1]?.n}`;
      if (JSON.stringify(slot) !== facts.slots[slot.n])
        return `slot ${slot.n} is packed as ${JSON.stringify(slot)}, and is ${facts.slots[slot.n]}`;
    }
    return slots.length === 0 ? 'it is empty' : undefined;
  },
};

/** Size in characters above which a slot is in no pack. */
const TOO_LARGE = 290_000;

export const packedChecks: Checks<Committed> = {
  '30 slots that HEAD calls packed are in packs': ({ facts, before, after }) => {
    const { contextStart, packed } = before.session;
    const below = after.session.packed?.below ?? 0;
    if (below < (packed?.below ?? 0)) return `packed below ${below}, and was below ${packed?.below}`;
    if (below > before.session.version) return `packed below ${below} of ${before.session.version} slots`;
    // Slots that the model no longer reads need not be packed, nor those of another session.
    const missing = facts.stored
      .slice(Math.max(contextStart, ownStart(before.session)), below)
      .find(({ n }) => !facts.packed.has(n) && (facts.slots[n] ?? '').length < TOO_LARGE);
    return missing && `slot ${missing.n} is in no pack`;
  },
};
