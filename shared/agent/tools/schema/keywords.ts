import type { Keyword } from './at.ts';
import { branching } from './branching.ts';
import { ofArrays } from './of-arrays.ts';
import { ofObjects } from './of-objects.ts';
import { ofValues } from './of-values.ts';

/** All keywords, in their order: the `unevaluated…` ones depend on what all others have examined. */
export const keywords: ReadonlyMap<string, Keyword> = new Map([
  ...branching,
  ...ofValues,
  ...ofObjects,
  ...ofArrays,
]);
