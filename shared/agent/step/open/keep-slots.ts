import { Superseded } from '../../plain/superseded.ts';
import type { Slot } from '../../session/slots.ts';
import type { Step } from './step-context.ts';

/** Writes slots under this step's epoch, recovered ones too, so that no zombie can change them afterwards. */
export async function keepSlots(
  { loaded, io, kept }: Pick<Step, 'loaded' | 'io' | 'kept'>,
  slots: readonly Slot[],
): Promise<void> {
  const { key, view } = loaded;
  const put = await Promise.all(slots.map((slot) => io.sessions.putSlot(key, view.fence.epoch, slot)));
  if (put.includes('superseded')) throw new Superseded();
  kept.push(...slots);
}
