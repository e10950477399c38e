/** CloudFormation's intrinsic functions, as far as CDK emits them in a stack without mappings. Conditions have been decided before. */
import { REGION } from '../identity.ts';
import { isObject, type Json, type JsonObject } from './types.ts';

/** Resolves references. Both methods throw for a name that is not known (yet). */
export interface Scope {
  /** The value of `Ref`: a parameter's value, a pseudo parameter, or a resource's reference. */
  ref(name: string): Json;
  /** The value of `Fn::GetAtt`. */
  attribute(logicalId: string, name: string): Json;
}

/**
 * Replaces every intrinsic in a value. `AWS::NoValue` removes its property. Throws for an unsupported intrinsic, and for one with
 * arguments of another shape.
 */
export function resolve(value: Json, scope: Scope): Json {
  const found = resolveOptional(value, scope);
  if (found === undefined) throw new Error('AWS::NoValue stands where a value is needed');
  return found;
}

/** Resolves a resource's properties. Same rules and errors as `resolve`. */
export function resolveProperties(properties: JsonObject, scope: Scope): JsonObject {
  const entries = Object.entries(properties).flatMap(([key, value]): [string, Json][] => {
    const found = resolveOptional(value, scope);
    return found === undefined ? [] : [[key, found]];
  });
  return Object.fromEntries(entries);
}

/** The single intrinsic call that an object is, or undefined for an ordinary object. */
export function intrinsicOf(value: Json): { name: string; argument: Json } | undefined {
  if (!isObject(value)) return undefined;
  const keys = Object.keys(value);
  const [name] = keys;
  if (keys.length !== 1 || name === undefined) return undefined;
  if (name !== 'Ref' && name !== 'Condition' && !name.startsWith('Fn::')) return undefined;
  // IAM statements have a `Condition` object; the argument of the intrinsic of that name is a text.
  if (name === 'Condition' && typeof value[name] !== 'string') return undefined;
  return { name, argument: value[name] ?? null };
}

/** The logical id and attribute of a `Fn::GetAtt`, which is a list or a dotted text. */
export function attributeTarget(argument: Json): { logicalId: string; name: string } {
  const [logicalId, ...rest] = typeof argument === 'string' ? argument.split('.') : asTexts(argument);
  if (logicalId === undefined || rest.length === 0)
    throw new Error(`Fn::GetAtt is malformed: ${JSON.stringify(argument)}`);
  return { logicalId, name: rest.join('.') };
}

/** The template text and the extra variables of a `Fn::Sub`. */
export function substitution(argument: Json): { text: string; variables: JsonObject } {
  if (typeof argument === 'string') return { text: argument, variables: {} };
  const [text, variables] = Array.isArray(argument) ? argument : [];
  if (typeof text !== 'string' || !isObject(variables))
    throw new Error(`Fn::Sub is malformed: ${JSON.stringify(argument)}`);
  return { text, variables };
}

/** `${Name}` in a `Fn::Sub`; `${!Name}` is a literal and does not match. */
export const SUBSTITUTION = /\$\{([^!}][^}]*)\}/g;

function resolveOptional(value: Json, scope: Scope): Json | undefined {
  if (Array.isArray(value)) {
    return value.flatMap((entry) => {
      const found = resolveOptional(entry, scope);
      return found === undefined ? [] : [found];
    });
  }
  if (!isObject(value)) return value;
  const call = intrinsicOf(value);
  return call ? apply(call.name, call.argument, scope) : resolveProperties(value, scope);
}

function apply(name: string, argument: Json, scope: Scope): Json | undefined {
  switch (name) {
    case 'Ref':
      return argument === 'AWS::NoValue' ? undefined : scope.ref(String(argument));
    case 'Fn::GetAtt': {
      const target = attributeTarget(argument);
      return scope.attribute(target.logicalId, target.name);
    }
    case 'Fn::Join':
      return join(argument, scope);
    case 'Fn::Sub':
      return substitute(argument, scope);
    case 'Fn::Select': {
      const [index, options] = pair(name, argument);
      const chosen = asList(resolve(options, scope))[Number(resolve(index, scope))];
      if (chosen === undefined) throw new Error(`Fn::Select has no entry ${JSON.stringify(index)}`);
      return chosen;
    }
    case 'Fn::GetAZs':
      return ['a', 'b', 'c'].map((zone) => `${REGION}${zone}`);
    case 'Fn::Split': {
      const [separator, text] = pair(name, argument);
      return String(resolve(text, scope)).split(String(separator));
    }
    default:
      throw new Error(`${name} is not supported by the embedded stack`);
  }
}

function join(argument: Json, scope: Scope): string {
  const [separator, parts] = pair('Fn::Join', argument);
  return asList(resolve(parts, scope)).map(String).join(String(separator));
}

function substitute(argument: Json, scope: Scope): string {
  const { text, variables } = substitution(argument);
  const filled = text.replaceAll(SUBSTITUTION, (_whole, key: string) => {
    const given = variables[key];
    if (given !== undefined) return String(resolve(given, scope));
    if (!key.includes('.')) return String(scope.ref(key));
    const target = attributeTarget(key);
    return String(scope.attribute(target.logicalId, target.name));
  });
  return filled.replaceAll('${!', '${');
}

function pair(name: string, argument: Json): [Json, Json] {
  const [first, second] = asList(argument);
  if (first === undefined || second === undefined) throw new Error(`${name} needs two arguments`);
  return [first, second];
}

function asList(value: Json): Json[] {
  if (!Array.isArray(value)) throw new Error(`expected a list, found ${JSON.stringify(value)}`);
  return value;
}

function asTexts(value: Json): string[] {
  return asList(value).map(String);
}
