/** Rules for the name of a project: its folder, its npm package and its stack. */

import { isBuiltin } from 'node:module';

const TAKEN = ['node_modules', 'favicon.ico', 'steploop', 'test'];

/** The problem with a name, as a sentence; undefined if it is valid. */
export function wrongName(name: string): string | undefined {
  if (!/^[a-z]/.test(name)) return `The name ${name} must begin with a lower-case letter: my-agents.`;
  if (!/^[a-z0-9._-]+$/.test(name))
    return `The name ${name} may only have lower-case letters, digits, dots, - and _: my-agents.`;
  if (name.length > 100) return `The name has ${name.length} characters; at most 100 are allowed.`;
  if (TAKEN.includes(name) || isBuiltin(name))
    return `The name ${name} is reserved. Choose another one: my-${name}.`;
  return undefined;
}

/** The stack's name in CloudFormation, which allows letters, digits and hyphens: `my-agents` becomes `MyAgents`. */
export const stackName = (name: string): string =>
  name
    .split(/[._-]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
