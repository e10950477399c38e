import type { Ids } from '../shared/agent/ports/ports.ts';
import type { Provider } from '../shared/agent/ports/provider.ts';
import { type MemoryOptions, type MemoryPorts, memoryPorts } from '../shared/memory/ports.ts';
import { type VirtualClock, virtualClock } from './clock.ts';

export interface MemoryWorld extends MemoryPorts {
  readonly clock: VirtualClock;
}

/** All ports in memory on a virtual clock, with counting ids. The model throws unless one is given. */
export function memoryWorld(options: Partial<Omit<MemoryOptions, 'clock'>> = {}): MemoryWorld {
  const clock = virtualClock();
  return { ...memoryPorts({ ids: countingIds(), provider: noModel, ...options, clock }), clock };
}

/** Ids `id1`, `id2`, …; `random` is always 0.5. */
export function countingIds(): Ids {
  let count = 0;
  return { next: () => `id${++count}`, random: () => 0.5 };
}

const noModel: Provider = {
  complete() {
    throw new Error('this test calls no model');
  },
};
