/** The emulators of the laptop's table, queues and buckets. Only `steploop dev` needs them, so they do not come with the package. */

import { isInstalled } from '../../infra/definition/source.ts';
import { Failed } from '../ends.ts';

/** Packages that are needed only where a project runs. `steploop init` adds them to the development dependencies. */
export const emulators = ['dynalite', 'fauxqs'] as const;

/** Throws {@link Failed} with the command that installs those that are missing. */
export function insistOnEmulators(isThere: (name: string) => boolean = isInstalled): void {
  const missing = emulators.filter((name) => !isThere(name));
  if (missing.length > 0)
    throw new Failed(
      `steploop dev needs the emulators of DynamoDB, SQS and S3: npm install --save-dev ${missing.join(' ')}`,
    );
}
