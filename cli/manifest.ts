/** What the package says of itself. */

import { createRequire } from 'node:module';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** `package.json`, by the package's own name: it lies elsewhere from the sources than from what is built. */
export const manifest: Manifest = createRequire(import.meta.url)('steploop/package.json');
