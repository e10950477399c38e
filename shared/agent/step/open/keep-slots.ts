import { Superseded } from '../../plain/superseded.ts';
import type { Slot } from '../../session/slots.ts';
import type { Step } from './step-context.ts';

/** Writes slots under this step's epoch. Recovered ones too: so no zombie can change them after. */
export async function keepSlots({ loaded, io, kept }: Step, slots: readonly Slot[]): Promise<void> {
  const { key, view } = loaded;
  const put = await Promise.all(slots.map((slot) => io.sessions.putSlot(key, view.fence.epoch, slot)));
  if (put.includes('superseded')) throw new Superseded();
  kept.push(...slots);
}
