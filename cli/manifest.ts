/** The package's own manifest. */

import { createRequire } from 'node:module';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** `package.json`, found by the package's own name, because its relative path differs between the sources and the build. */
export const manifest: Manifest = createRequire(import.meta.url)('steploop/package.json');
