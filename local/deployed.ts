/** A `Steploop` in a template, and in the stack that runs it: its outputs and secrets, by the names in its definition and in the contract. */

import type { Output, TemplateEntry } from '../shared/contract/outputs.ts';
import { stacksIn } from './stack/assembly.ts';
import type { RunningStack } from './stack/stack.ts';

export interface Deployed extends TemplateEntry {
  /** Path of the construct in its app. */
  readonly path: string;
}

/** The location of a `Steploop`, from which a stack is started. */
export interface DeployedStack {
  /** Folder of the assembly with its stack. For a stage, it is inside the app's. */
  readonly assembly: string;
  /** Id of its stack. */
  readonly stack: string;
  readonly deployed: Deployed;
}

/**
 * The one `Steploop` of an app.
 *
 * @param wanted name of its stack, or path of the construct, if there are several
 * @throws an Error that lists the candidates, if there is none or more than one
 */
export function placeIn(assembly: string, wanted?: string): DeployedStack {
  const all = stacksIn(assembly).flatMap(({ template, ...at }): DeployedStack[] =>
    Object.entries((template.Metadata?.Steploop ?? {}) as unknown as Record<string, TemplateEntry>).map(
      ([path, entry]) => ({ assembly: at.assembly, stack: at.id, deployed: { path, ...entry } }),
    ),
  );
  const isWanted = ({ stack, deployed }: DeployedStack) =>
    wanted === undefined || [stack, deployed.path].includes(wanted);
  const [found, ...others] = all.filter(isWanted);
  if (found && others.length === 0) return found;
  if (all.length === 0)
    throw new Error('The app has no Steploop: add one to a stack of it (docs/extending.md).');
  const names = all.map(({ stack, deployed }) => `${deployed.path} in the stack ${stack}`).join(', ');
  throw new Error(
    found
      ? `The app has several: ${names}. Name one with --stack.`
      : `The app has no Steploop called ${wanted}; it has: ${names}.`,
  );
}

/** The one `Steploop` of an assembly. */
export const deployedIn = (assembly: string): Deployed => placeIn(assembly).deployed;

/** The value of an output. Throws if the definition does not use its feature. */
export function outputOf(deployed: Deployed, stack: Pick<RunningStack, 'outputs'>, name: Output): string {
  const value = stack.outputs[deployed.outputs[name] ?? ''];
  if (value === undefined) throw new Error(`${deployed.path} has no output ${name}`);
  return value;
}

/** All existing outputs. */
export function outputsOf(
  deployed: Deployed,
  stack: Pick<RunningStack, 'outputs'>,
): Partial<Record<Output, string>> {
  const names = Object.keys(deployed.outputs) as Output[];
  return Object.fromEntries(names.map((name) => [name, outputOf(deployed, stack, name)]));
}

/** The ARN of a secret that the definition declares. Throws for an undeclared one. */
export function secretOf(deployed: Deployed, stack: Pick<RunningStack, 'ref'>, name: string): string {
  const id = deployed.secrets[name];
  if (id === undefined) throw new Error(`${deployed.path} declares no secret ${name}`);
  return stack.ref(id);
}
