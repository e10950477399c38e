import { inject } from 'vitest';
import type { PieceName } from './pieces.ts';

/** The path of a piece; undefined if this machine lacks it, which the lane has said. */
export function here(name: PieceName): string | undefined {
  const found = inject('pieces')[name];
  return 'path' in found ? found.path : undefined;
}
