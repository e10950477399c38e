import type { Callbacks } from '../edge/callbacks.ts';
import { parsePublicUrl } from '../egress/addresses.ts';
import { callbackSecrets } from './secrets.ts';

export interface CallbackOptions {
  /** For the laptop: a callback may go to this machine. */
  readonly allowLoopback: boolean;
  /** The secrets of the deployment from which those of each tenant are derived (`secrets.ts`). */
  readonly masters: () => Promise<string>;
}

/** Callbacks to public addresses, signed with secrets that are derived from the deployment's. */
export const createCallbacks = ({ allowLoopback, masters }: CallbackOptions): Callbacks => ({
  check: (text) => parsePublicUrl(text, allowLoopback),
  secretsOf: async (tenant) => callbackSecrets(await masters(), tenant),
});
