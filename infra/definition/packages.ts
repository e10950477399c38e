/** Packages that a project installs itself if its definition uses what needs them, because they are large and few projects do. */

import type { DeploymentFacts, OptionalPackage } from '../../shared/contract/facts.ts';
import { isInstalled } from './source.ts';

const uses: Readonly<Record<OptionalPackage, string>> = {
  openai: 'A model of the provider openai, openai-xml or openai-responses',
  stripe: 'A webhook of the kind stripe',
  '@modelcontextprotocol/server': 'mcp: true',
  '@a2a-js/sdk': 'a2a: true',
};

/**
 * A sentence for each package that the definition needs and that is not installed.
 *
 * @param isThere whether the functions find a package
 */
export const missingPackages = (
  { packages }: Pick<DeploymentFacts, 'packages'>,
  isThere: (name: string) => boolean = isInstalled,
): string[] =>
  packages
    .filter((name) => !isThere(name))
    .map((name) => `${uses[name]} needs the package ${name}: npm install ${name}`);
