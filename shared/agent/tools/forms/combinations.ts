import { isObject, type Json } from './json.ts';
import type { Choice, Part } from './part.ts';

/** Combinations that are described for a choice. */
const MAX_TOLD = 20;
/** Characters of the whole description. */
const MAX_NOTE = 800;

/**
 * Describes in one line which combinations of arguments a folded schema asks for, because the form itself cannot. Undefined if
 * the branches of its choices ask for the same.
 */
export function combinationsOf(choices: readonly Choice[]): string | undefined {
  const lines = choices.flatMap(({ how, parts }) => {
    const all = parts.map((part) => wordsOf(part, parts));
    const told = [...new Set(all)].filter((words) => words !== '');
    if (parts.length < 2 || told.length < 2) return [];
    const more = told.length > MAX_TOLD ? `; or ${told.length - MAX_TOLD} others` : '';
    const start = how === 'oneOf' ? 'Give exactly one of these' : 'Give at least one of these';
    return [`${start}: ${told.slice(0, MAX_TOLD).join('; or ')}${more}.`];
  });
  const note = [...new Set(lines)].join(' ');
  if (note === '') return undefined;
  return note.length <= MAX_NOTE ? note : `${note.slice(0, MAX_NOTE - 1).toWellFormed()}…`;
}

/** Values and properties that one branch asks for and not every branch does. */
function wordsOf(part: Part, parts: readonly Part[]): string {
  const tags = [...part.properties].flatMap(([name, schema]) => {
    const [only, ...others] = valuesOf(schema);
    const differs = parts.some((other) => !sameTag(other.properties.get(name), schema));
    return only !== undefined && others.length === 0 && differs ? [`${name} = ${JSON.stringify(only)}`] : [];
  });
  const tagged = (name: string) => tags.some((tag) => tag.startsWith(`${name} = `));
  const required = [...part.required].filter(
    (name) => !tagged(name) && !parts.every((other) => other.required.has(name)),
  );
  const asked = required.length > 0 || tags.length > 0 ? required : ownOf(part, parts);
  if (tags.length === 0) return asked.join(' and ');
  return asked.length === 0 ? tags.join(' and ') : `${tags.join(' and ')} with ${asked.join(', ')}`;
}

/** Properties that no other branch has. */
const ownOf = (part: Part, parts: readonly Part[]): string[] =>
  [...part.properties.keys()].filter((name) =>
    parts.every((other) => other === part || !other.properties.has(name)),
  );

function valuesOf(schema: unknown): readonly Json[] {
  if (!isObject(schema)) return [];
  if (schema.const !== undefined) return [schema.const];
  return Array.isArray(schema.enum) ? (schema.enum as Json[]) : [];
}

const sameTag = (a: unknown, b: unknown): boolean =>
  JSON.stringify(valuesOf(a)) === JSON.stringify(valuesOf(b));
