import type { Callbacks } from '../edge/callbacks.ts';
import { parsePublicUrl } from '../egress/addresses.ts';
import { callbackSecrets } from './secrets.ts';

export interface CallbackOptions {
  /** For the laptop: a callback may go to this machine. */
  readonly allowLoopback: boolean;
  /** The secrets of the deployment that those of each tenant are made from (`secrets.ts`). */
  readonly masters: () => Promise<string>;
}

/** Callbacks to public addresses, signed with what is made from the deployment's secrets. */
export const createCallbacks = ({ allowLoopback, masters }: CallbackOptions): Callbacks => ({
  check: (text) => parsePublicUrl(text, allowLoopback),
  secretsOf: async (tenant) => callbackSecrets(await masters(), tenant),
});
