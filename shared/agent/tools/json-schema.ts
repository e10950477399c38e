import * as z from 'zod';
import { readOnce } from '../plain/read-once.ts';
import type { JsonSchema } from './source.ts';

/** Mistakes of one input that are told. */
const MAX_TOLD = 10;

/** Makes what reads a call's input by a JSON Schema. Throws when it is none, or names what is not in it. */
export type ReaderOf = (schema: JsonSchema) => z.ZodType;

const readLibrary = readOnce(() => import('./lazy/json-schema.ts'));

/**
 * Loads the validator, once in a process. Most agents have no tool that needs it, so it is in no cold start: zod's own `fromJSONSchema` would
 * add 46 KB to each, since it uses every kind of schema that there is.
 */
export async function loadReaders(): Promise<ReaderOf> {
  const { Validator } = await readLibrary();
  return (schema) => {
    // It writes into what it is given, and this one is pinned.
    const validator = new Validator(structuredClone(schema), '2020-12', false);
    // References are followed when a value is read: one that leads nowhere is found now.
    validator.validate({});
    return z.unknown().check((payload) => {
      const { valid, errors } = validator.validate(payload.value);
      if (valid) return;
      const own = errors.filter(({ keyword }) => !ofInner.has(keyword));
      for (const { instanceLocation, error } of (own.length > 0 ? own : errors).slice(0, MAX_TOLD))
        payload.issues.push({
          code: 'custom',
          input: payload.value,
          path: pathOf(instanceLocation),
          message: error,
        });
    });
  };
}

/** Keywords whose mistake is that of something inside, which is told by itself. */
const ofInner: ReadonlySet<string> = new Set(['properties', 'items', 'prefixItems', '$ref', 'allOf']);

/** `#/a/0/b` as a path. */
const pathOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
