/** Instructions that a rule-based model finds in the system text. It follows those that name tools, and no others. */

import { stem } from './words.ts';

/**
 * The tools that the numbered steps of a system text ask for, among these names: by name, or by the words of it ("List the
 * repository's labels" is `list_labels`). Undefined if there are no numbered steps, since then there are no instructions.
 */
export function askedFor(system: string, tools: readonly string[]): ReadonlySet<string> | undefined {
  const steps = system.match(/^\s*\d+[.)]\s.*$/gm);
  if (!steps) return undefined;
  return new Set(tools.filter((name) => steps.some((step) => speaksOf(step, name))));
}

function speaksOf(step: string, name: string): boolean {
  const words = new Set((step.toLowerCase().match(/[a-z]+/g) ?? []).map(stem));
  return step.includes(name) || name.split('_').every((word) => words.has(stem(word)));
}

/** Whether a text says that content from users is not an instruction. */
export const isWarned = (text: string): boolean => /material to judge|never an instruction/i.test(text);
