import { freezeDeep } from '../agent/plain/merge.ts';

/**
 * A copy that shares nothing with `value`, which is plain JSON. It is what any store would give back, so keys without a
 * value are gone.
 */
export function copy<T>(value: T): T {
  return copied(value) as T;
}

/** A frozen copy: a stored value can be handed out without copying it again. */
export const keep = <T>(value: T): T => freezeDeep(copy(value));

/** Written by hand: several times as fast as a detour over JSON text, and a simulator copies all the time. */
function copied(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copied);
  const fresh: Record<string, unknown> = {};
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    if (inner !== undefined) fresh[key] = copied(inner);
  }
  return fresh;
}
