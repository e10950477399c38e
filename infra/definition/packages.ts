/** Packages that a project installs itself if its definition uses what needs them, because they are large and few projects do. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { DeploymentFacts, OptionalPackage } from '../../shared/contract/facts.ts';

const uses: Readonly<Record<OptionalPackage, string>> = {
  openai: 'A model of the provider openai or openai-xml',
  stripe: 'A webhook of the kind stripe',
};

/**
 * A sentence for each package that the definition needs and that is not installed.
 *
 * @param isInstalled whether the functions find a package
 */
export const missingPackages = (
  { packages }: Pick<DeploymentFacts, 'packages'>,
  isInstalled: (name: string) => boolean = isFound,
): string[] =>
  packages
    .filter((name) => !isInstalled(name))
    .map((name) => `${uses[name]} needs the package ${name}: npm install ${name}`);

/** Looks where Node looks, from this package. Entries of the packages are not read: they may be for other conditions than these. */
function isFound(name: string): boolean {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return folders.some((folder) => existsSync(join(folder, name, 'package.json')));
}
