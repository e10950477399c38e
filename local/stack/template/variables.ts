/** Environment variables of functions that the stack's starter sets, in place of the template's values. */
import { isObject, type TemplateResource } from './types.ts';

/** New values by name: a text, or a function of the template's value. */
export type Variables = Readonly<Record<string, string | ((current: string) => string)>>;

/** Throws, and lists the valid names, for a name that no function has, because it would have no effect. */
export function checkVariables(
  resources: Readonly<Record<string, TemplateResource>>,
  given: Variables,
): void {
  const known = new Set(Object.values(resources).flatMap(namesOf));
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new Error(
      `no function of the template has the environment variable ${unknown.join(', ')}; they have: ${[...known].sort().join(', ') || 'none'}`,
    );
}

/** A function's variables with the given values in place of its own; names that it does not have are not added. */
export function withVariables(
  own: Readonly<Record<string, string>>,
  given: Variables,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(own).map(([name, current]) => {
      const value = given[name] ?? current;
      return [name, typeof value === 'string' ? value : value(current)];
    }),
  );
}

function namesOf({ Type, Properties }: TemplateResource): string[] {
  const environment = Type === 'AWS::Lambda::Function' ? Properties?.Environment : undefined;
  const variables = isObject(environment) ? environment.Variables : undefined;
  return isObject(variables) ? Object.keys(variables) : [];
}
