/** The outputs of the stack, all there. */

import { output } from '../shared/contract/env.ts';

export type Outputs = Record<keyof typeof output, string>;

/** Throws with the names of those that the template does not have. */
export function asOutputs(found: Readonly<Record<string, string>>): Outputs {
  const missing = Object.keys(output).filter((name) => !found[name]);
  if (missing.length > 0) throw new Error(`the template lacks the outputs ${missing.join(', ')}`);
  return found as Outputs;
}
