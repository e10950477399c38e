import * as z from 'zod';
import { nearest } from '../../shared/agent/plain/nearest.ts';

/** Other names of an argument: `{ path: ['file_path', 'filename'] }`. */
export type Aliases<Shape> = { readonly [Name in keyof Shape]?: readonly string[] };

/** Names that models give a path, whatever the schema says. */
export const pathAliases = ['file_path', 'filePath', 'file', 'filename', 'file_name', 'target_file'] as const;

/**
 * Parses arguments as models write them: under other names too, `null` for an omitted one, numbers and flags as text.
 * An unknown name is an error that lists the arguments and suggests the closest one.
 */
export function argumentsOf<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  aliases: Aliases<Shape> = {},
): z.ZodType<z.output<z.ZodObject<Shape>>> {
  const names = Object.keys(shape);
  const nameOf = new Map(
    Object.entries<readonly string[] | undefined>(aliases).flatMap(([name, others = []]) =>
      others.map((other) => [other, name] as const),
    ),
  );
  const known = z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? unknownNames(issue.keys, names, nameOf) : undefined,
  });
  return z.preprocess((given) => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
    const read: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(given)) {
      const own = names.includes(name) ? name : (nameOf.get(name) ?? name);
      // If one argument comes under two names, its own name wins.
      if (value !== null && (own === name || !(own in given))) read[own] = value;
    }
    return read;
  }, known) as unknown as z.ZodType<z.output<z.ZodObject<Shape>>>;
}

function unknownNames(
  given: readonly string[],
  names: readonly string[],
  nameOf: ReadonlyMap<string, string>,
): string {
  const told = given.slice(0, 5).map((name) => {
    const like = nearest(name.slice(0, 60), [...names, ...nameOf.keys()]);
    const meant = like && (nameOf.get(like) ?? like);
    return `There is no argument ${JSON.stringify(name.slice(0, 60))}${meant ? `; do you mean "${meant}"?` : '.'}`;
  });
  return `${told.join(' ')} The arguments are: ${names.join(', ')}.`;
}

/** A whole number, which some models send as text. */
export const wholeNumber = (least: number, most: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value) ? Number(value) : value),
    z.int().min(least).max(most),
  );

/** Yes or no, which some models send as text. */
export const flag = () =>
  z.preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean());
