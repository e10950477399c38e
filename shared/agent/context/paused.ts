import type { ModelSlot, Slot } from '../session/slots.ts';
import type { Reading } from './reading.ts';
import { hasPending } from './server-tools.ts';

/**
 * The reply whose turn its server has not ended, if it can be resumed: the model's own, over the same context, with nothing said
 * after it. The server paused it (`pause_turn`), or has tools in progress beside calls of ours. Anything after the reply in a
 * request breaks its turn off. Pure.
 */
export function pausedIn(slots: readonly Slot[], reading: Reading): ModelSlot | undefined {
  for (const slot of slots.toReversed()) {
    if (slot.kind === 'tools' && !slot.made) continue;
    if (slot.kind === 'tools' || slot.made) return undefined;
    const { reply } = slot;
    if (!reply) {
      if (slot.input.length > 0 || slot.fold) return undefined;
      continue;
    }
    const own = (reply.fallback ?? 0) === reading.fallback && reply.fold === reading.fold;
    const goesOn = reply.stop === 'pause_turn' || (reply.stop === 'tool_use' && hasPending(reply.content));
    return own && goesOn && !reading.withoutThinking && reply.content.length > 0 ? slot : undefined;
  }
  return undefined;
}
