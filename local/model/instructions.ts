/** What the system text has a rule-based model do: it knows tools when it reads of them, and nothing else. */

import { stem } from './words.ts';

/**
 * The tools that the numbered steps of a system text ask for, of those with these names: by their names, or by the words of them
 * ("List the repository's labels" is `list_labels`). Undefined when there are no numbered steps: then nobody has said what to do.
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

/** Whether a text says that what people write is no instruction. */
export const isWarned = (text: string): boolean => /material to judge|never an instruction/i.test(text);
