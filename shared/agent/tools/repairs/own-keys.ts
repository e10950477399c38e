import { withOwnKeys } from '../forms/own-keys.ts';
import type { Repair } from './repair.ts';

/** The arguments under the tool's own keys, if its form had to rename some (`tools/forms/keys.ts`). */
export const ownKeys: Repair = (call, { tools }) => {
  const keys = tools.find(({ name }) => name === call.name)?.keys;
  return keys ? { ...call, input: withOwnKeys(call.input, keys) } : call;
};
