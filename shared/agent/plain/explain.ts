import * as z from 'zod';
import { nearest } from './nearest.ts';

/** The problems of an input, each with its path. For an unknown key it names the known key that was probably meant. */
export function explain(error: z.ZodError, schema: z.ZodType): string {
  const hints = error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [];
    const known = keysAt(schema, issue.path);
    return issue.keys.flatMap((key) => {
      const guess = nearest(key, known);
      return guess ? [`${[...issue.path, key].join('.')}: did you mean "${guess}"?`] : [];
    });
  });
  return [z.prettifyError(error), ...hints].join('\n');
}

/** The same, one line for each problem, beginning with its place. */
export const explainInLines = (error: z.ZodError, schema: z.ZodType): string[] =>
  error.issues.flatMap(({ path, message, ...issue }) => {
    const says = issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined;
    if (issue.code !== 'unrecognized_keys')
      return [`${path.join('.') || 'the definition'}: ${says ?? message}`];
    const known = keysAt(schema, path);
    return issue.keys.map((key) => {
      const guess = nearest(key, known);
      return `${[...path, key].join('.')}: there is no such key${guess ? `; did you mean ${guess}?` : ''}`;
    });
  });

/** The keys of the object that `path` leads to. */
function keysAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  const object = unwrapped(schema);
  if (object instanceof z.ZodRecord) {
    const [, ...rest] = path;
    return path.length === 0 ? [] : keysAt(object.valueType, rest);
  }
  if (!(object instanceof z.ZodObject)) return [];
  const shape: Readonly<Record<string, unknown>> = object.shape;
  const [key, ...rest] = path;
  return key === undefined ? Object.keys(shape) : keysAt(shape[String(key)], rest);
}

function unwrapped(schema: unknown): unknown {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional
    ? unwrapped(schema.unwrap())
    : schema;
}
