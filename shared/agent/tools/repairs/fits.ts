/**
 * Whether a value may fit a JSON Schema, by types and fixed values only. The tool's own schema checks patterns, bounds and
 * lengths before the call runs.
 */

import { isRecord, own } from '../../plain/merge.ts';

type Schema = Readonly<Record<string, unknown>>;

/** A schema in its document, whose references it may follow. */
export interface SchemaIn {
  readonly schema: unknown;
  readonly root: unknown;
  /** Schemas that may still be examined. When none are left, everything fits and nothing is repaired. */
  readonly work: { left: number };
}

/** The schema of a call's input. */
export const schemaIn = (root: unknown): SchemaIn => ({ schema: root, root, work: { left: MAX_WORK } });

/** Schemas that are examined for one call, with those in unions: a few ms at most. */
const MAX_WORK = 20_000;
/** Nested schemas and references that are followed. Deeper ones fit everything. */
const MAX_DEPTH = 12;
/** Branches of a union that are examined. A longer union fits everything. */
const MAX_BRANCHES = 64;

/** False only if the schema certainly refuses the value. */
export function mayFit(value: unknown, on: SchemaIn, depth = 0): boolean {
  const { schema, root, work } = on;
  work.left -= 1;
  if (work.left < 0) return true;
  if (schema === false) return false;
  if (!isRecord(schema) || depth > MAX_DEPTH) return true;
  const fits = (inner: unknown) => mayFit(value, { ...on, schema: inner }, depth + 1);
  const { $ref, allOf, enum: values } = schema;
  if (typeof $ref === 'string' && !fits(resolved($ref, root))) return false;
  if (!isOfType(value, schema)) return false;
  if (Array.isArray(values) && isPlain(value) && values.every(isPlain) && !values.includes(value))
    return schema.nullable === true && value === null;
  if ('const' in schema && isPlain(schema.const) && schema.const !== value) return false;
  if (Array.isArray(allOf) && !allOf.slice(0, MAX_BRANCHES).every(fits)) return false;
  for (const union of [schema.anyOf, schema.oneOf])
    if (Array.isArray(union) && union.length <= MAX_BRANCHES && !union.some(fits)) return false;
  return !isRecord(value) || fitsAsObject(value, schema, on, depth);
}

/** Required properties are present, and those with a fixed value have it: that tells the branches of a union apart. */
function fitsAsObject(value: Schema, { required, properties }: Schema, on: SchemaIn, depth: number): boolean {
  if (Array.isArray(required) && required.some((key) => !Object.hasOwn(value, String(key)))) return false;
  return Object.entries(isRecord(properties) ? properties : {}).every(
    ([key, one]) =>
      !isRecord(one) ||
      !('const' in one || 'enum' in one) ||
      !Object.hasOwn(value, key) ||
      mayFit(value[key], { ...on, schema: one }, depth + 1),
  );
}

/**
 * The parts of a schema that restrict a value, without unions and references. A union gives the one branch that the value may
 * fit, or none if more than one may.
 */
export function partsFor(value: unknown, on: SchemaIn, depth = 0): Schema[] {
  const { schema, root, work } = on;
  work.left -= 1;
  if (!isRecord(schema) || depth > MAX_DEPTH || work.left < 0) return [];
  const partsOf = (inner: unknown) => partsFor(value, { ...on, schema: inner }, depth + 1);
  const { $ref, allOf } = schema;
  const unions = [schema.anyOf, schema.oneOf].flatMap((union) => {
    if (!Array.isArray(union) || union.length > MAX_BRANCHES) return [];
    const branches = union.filter((branch) => mayFit(value, { ...on, schema: branch }, depth + 1));
    return branches.length === 1 ? branches.flatMap(partsOf) : [];
  });
  return [
    schema,
    ...(typeof $ref === 'string' ? partsOf(resolved($ref, root)) : []),
    ...(Array.isArray(allOf) ? allOf.slice(0, MAX_BRANCHES).flatMap(partsOf) : []),
    ...unions,
  ];
}

/** The schema that a reference within the document leads to; undefined, which fits everything, for other references. */
function resolved(ref: string, root: unknown): unknown {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  return ref
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (at, part) => (Array.isArray(at) ? at[Number(part)] : isRecord(at) ? own(at, part) : undefined),
      root,
    );
}

/** Our own type: integers that a tool's own schema takes as `bigint`. No schema that is sent has it. */
export const BIGINT = 'bigint';

function isOfType(value: unknown, { type, nullable }: Schema): boolean {
  if (type === undefined || (nullable === true && value === null)) return true;
  const types = Array.isArray(type) ? type : [type];
  return types.some((one) => {
    switch (one) {
      case 'integer':
        return Number.isInteger(value);
      case 'array':
        return Array.isArray(value);
      case 'null':
        return value === null;
      case BIGINT:
        return typeof value === 'bigint';
      case 'object':
        return isRecord(value);
      case 'string':
      case 'number':
      case 'boolean':
        return typeof value === one;
      default:
        return true;
    }
  });
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;
