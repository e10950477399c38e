/** A `Steploop` in a template, and in the stack that runs it: its outputs and secrets by the names that its definition and contract give them. */

import type { Output, TemplateEntry } from '../shared/contract/outputs.ts';
import { readAssembly } from './stack/assembly.ts';
import type { RunningStack } from './stack/stack.ts';

export interface Deployed extends TemplateEntry {
  /** Of the construct, in its app. */
  readonly path: string;
}

/**
 * The one `Steploop` of the assembly's one stack.
 *
 * @param wanted path of the construct, where there are several
 * @throws an Error that names those that there are, when there is none or more than one
 */
export function deployedIn(assembly: string, wanted?: string): Deployed {
  const { Steploop = {} } = readAssembly(assembly, undefined).template.Metadata ?? {};
  const all = Object.entries(Steploop as unknown as Record<string, TemplateEntry>);
  const chosen = wanted === undefined ? all : all.filter(([path]) => path === wanted);
  const [found, other] = chosen;
  if (found && !other) return { path: found[0], ...found[1] };
  const names = all.map(([path]) => path).join(', ') || 'none';
  throw new Error(
    `The stack must have exactly one Steploop${wanted ? ` called ${wanted}` : ''}; it has: ${names}`,
  );
}

/** The value of an output. Throws for one that the definition has no use for. */
export function outputOf(deployed: Deployed, stack: Pick<RunningStack, 'outputs'>, name: Output): string {
  const value = stack.outputs[deployed.outputs[name] ?? ''];
  if (value === undefined) throw new Error(`${deployed.path} has no output ${name}`);
  return value;
}

/** All outputs that there are. */
export function outputsOf(
  deployed: Deployed,
  stack: Pick<RunningStack, 'outputs'>,
): Partial<Record<Output, string>> {
  const names = Object.keys(deployed.outputs) as Output[];
  return Object.fromEntries(names.map((name) => [name, outputOf(deployed, stack, name)]));
}

/** The ARN of a secret that the definition declares. Throws for another. */
export function secretOf(deployed: Deployed, stack: Pick<RunningStack, 'ref'>, name: string): string {
  const id = deployed.secrets[name];
  if (id === undefined) throw new Error(`${deployed.path} declares no secret ${name}`);
  return stack.ref(id);
}
