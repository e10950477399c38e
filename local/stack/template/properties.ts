/**
 * Typed reads of resolved resource properties. CloudFormation accepts "5" for 5 and "true" for true, so these do too. Each throws
 * an Error that names the resource and the property if the value has another shape.
 */
import { isObject, type Json, type JsonObject } from './types.ts';

/** A declared resource whose properties hold no intrinsic functions any more. */
export interface Declared {
  /** Logical id in the template. */
  id: string;
  /** CloudFormation type, such as `AWS::SQS::Queue`. */
  type: string;
  properties: JsonObject;
}

/** A text property; undefined if absent. */
export function optionalText(item: Declared, name: string): string | undefined {
  const value = item.properties[name];
  if (value === undefined) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw wrong(item, name, 'a text');
}

/** A required text property. */
export function requiredText(item: Declared, name: string): string {
  const value = optionalText(item, name);
  if (value === undefined) throw wrong(item, name, 'present');
  return value;
}

/** A number property; undefined if absent. */
export function optionalNumber(item: Declared, name: string): number | undefined {
  const text = optionalText(item, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) throw wrong(item, name, 'a number');
  return value;
}

/** A true/false property; the fallback if absent. */
export function flag(item: Declared, name: string, fallback: boolean): boolean {
  const text = optionalText(item, name);
  return text === undefined ? fallback : text === 'true';
}

/** A list property; empty if absent. */
export function list(item: Declared, name: string): Json[] {
  const value = item.properties[name] ?? [];
  if (!Array.isArray(value)) throw wrong(item, name, 'a list');
  return value;
}

/** A list of texts; empty if absent. */
export function texts(item: Declared, name: string): string[] {
  return list(item, name).map(String);
}

/** A nested object, readable with the same functions; its properties are empty if it is absent. */
export function nested(item: Declared, name: string): Declared {
  const value = item.properties[name] ?? {};
  if (!isObject(value)) throw wrong(item, name, 'an object');
  return { ...item, properties: value };
}

/** A list of nested objects, readable with the same functions. */
export function nestedList(item: Declared, name: string): Declared[] {
  return list(item, name).map((value) => {
    if (!isObject(value)) throw wrong(item, name, 'a list of objects');
    return { ...item, properties: value };
  });
}

function wrong(item: Declared, name: string, expected: string): Error {
  return new Error(`${item.id} (${item.type}): property ${name} must be ${expected}`);
}
