/** A template's conditions, decided from its parameters before any resource is created. */
import { intrinsicOf } from './intrinsics.ts';
import { isObject, type Json, type JsonObject, type Template } from './types.ts';

/**
 * The template without conditions: `Fn::If` becomes the branch that holds, and a resource whose condition does not hold is
 * removed. Throws for an undeclared condition, and for a function that conditions do not have.
 */
export function withConditions(template: Template, parameters: Readonly<Record<string, Json>>): Template {
  const holds = (name: Json): boolean => {
    const condition = template.Conditions?.[String(name)];
    if (condition === undefined) throw new Error(`the template declares no condition ${String(name)}`);
    return isTrue(condition);
  };
  const isTrue = (condition: Json): boolean => {
    const call = intrinsicOf(condition);
    const operands = Array.isArray(call?.argument) ? call.argument : [];
    switch (call?.name) {
      case 'Condition':
        return holds(call.argument);
      case 'Fn::Equals':
        return textOf(operands[0]) === textOf(operands[1]);
      case 'Fn::Not':
        return !operands.every(isTrue);
      case 'Fn::And':
        return operands.every(isTrue);
      case 'Fn::Or':
        return operands.some(isTrue);
      default:
        throw new Error(`no condition: ${JSON.stringify(condition)}`);
    }
  };
  const textOf = (value: Json = null): string => {
    const call = intrinsicOf(value);
    if (!call) return String(value);
    const given = call.name === 'Ref' ? parameters[String(call.argument)] : undefined;
    if (given === undefined)
      throw new Error(`a condition compares a value that is not a parameter: ${JSON.stringify(value)}`);
    return String(given);
  };
  const chosen = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(chosen);
    if (!isObject(value)) return value;
    const call = intrinsicOf(value);
    if (call?.name !== 'Fn::If') return mapped(value, chosen);
    const [name = null, then = null, otherwise = null] = Array.isArray(call.argument) ? call.argument : [];
    return chosen(holds(name) ? then : otherwise);
  };

  const kept = Object.entries(template.Resources).filter(
    ([, { Condition }]) => Condition === undefined || holds(Condition),
  );
  const resources = kept.map(([id, { Condition: _decided, ...resource }]) => [
    id,
    { ...resource, ...(resource.Properties && { Properties: mapped(resource.Properties, chosen) }) },
  ]);
  const outputs = Object.entries(template.Outputs ?? {}).map(([id, { Value }]) => [
    id,
    { Value: chosen(Value) },
  ]);
  return { ...template, Resources: Object.fromEntries(resources), Outputs: Object.fromEntries(outputs) };
}

const mapped = (object: JsonObject, change: (value: Json) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
