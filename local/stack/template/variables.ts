/** Environment variables of functions that whoever starts a stack sets for it, over what the template says. */
import { isObject, type TemplateResource } from './types.ts';

/**
 * The resources with each given variable in the place of the template's, in every function that has it there. Throws,
 * with what there is, for a name that no function has: nobody would read it.
 */
export function withVariables(
  resources: Readonly<Record<string, TemplateResource>>,
  given: Readonly<Record<string, string>>,
): Record<string, TemplateResource> {
  const known = new Set(Object.values(resources).flatMap((resource) => Object.keys(variablesOf(resource))));
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new Error(
      `no function of the template has the environment variable ${unknown.join(', ')}; they have: ${[...known].sort().join(', ') || 'none'}`,
    );
  return Object.fromEntries(
    Object.entries(resources).map(([id, resource]) => [id, overridden(resource, given)]),
  );
}

function overridden(resource: TemplateResource, given: Readonly<Record<string, string>>): TemplateResource {
  const own = variablesOf(resource);
  const changed = Object.entries(given).filter(([name]) => name in own);
  if (changed.length === 0) return resource;
  const Variables = { ...own, ...Object.fromEntries(changed) };
  return { ...resource, Properties: { ...resource.Properties, Environment: { Variables } } };
}

function variablesOf({ Type, Properties }: TemplateResource) {
  const environment = Type === 'AWS::Lambda::Function' ? Properties?.Environment : undefined;
  const variables = isObject(environment) ? environment.Variables : undefined;
  return isObject(variables) ? variables : {};
}
