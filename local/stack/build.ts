import { ACCOUNT, arnOf, REGION } from './identity.ts';
import { localise } from './resources/api.ts';
import { createResource } from './resources/registry.ts';
import type { Created, Site } from './site.ts';
import { resolve, resolveProperties, type Scope } from './template/intrinsics.ts';
import { creationOrder } from './template/order.ts';
import type { Json, TemplateResource } from './template/types.ts';

/**
 * Creates every resource in order of dependency. Returns the scope that resolves references to them, for outputs. Rejects with
 * the failing resource's logical id and type.
 */
export async function buildResources(
  resources: Record<string, TemplateResource>,
  parameters: Record<string, Json>,
  site: Site,
): Promise<Scope> {
  const created = new Map<string, Created>();
  const scope = scopeOf(created, parameters, site);
  for (const id of creationOrder(resources)) {
    const resource = resources[id];
    if (!resource) continue;
    try {
      const properties = localiseAll(resolveProperties(resource.Properties ?? {}, scope), site);
      created.set(id, await createResource({ id, type: resource.Type, properties }, site));
    } catch (error) {
      throw new Error(`cannot create ${id} (${resource.Type}): ${messageOf(error)}`, { cause: error });
    }
  }
  return scope;
}

/** The template's outputs by logical id. Throws for an output with an unknown reference. */
export function outputsOf(
  outputs: Record<string, { Value: Json }>,
  scope: Scope,
  site: Site,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, { Value }]) => [name, localise(site, String(resolve(Value, scope)))]),
  );
}

function scopeOf(created: Map<string, Created>, parameters: Record<string, Json>, site: Site): Scope {
  const pseudo: Record<string, string> = {
    'AWS::Region': REGION,
    'AWS::AccountId': ACCOUNT,
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::StackName': site.stackName,
    'AWS::StackId': arnOf('cloudformation', `stack/${site.stackName}/local`),
  };
  return {
    ref(name) {
      const value = pseudo[name] ?? parameters[name] ?? created.get(name)?.ref;
      if (value === undefined) throw new Error(`Ref to ${name}, which is neither a parameter nor a resource`);
      return value;
    },
    attribute(logicalId, name) {
      const value = created.get(logicalId)?.attributes[name];
      if (value === undefined) throw new Error(`Fn::GetAtt ${logicalId}.${name} is not supported`);
      return value;
    },
  };
}

function localiseAll<T extends Json>(value: T, site: Site): T {
  if (typeof value === 'string') return localise(site, value) as T;
  if (Array.isArray(value)) return value.map((entry) => localiseAll(entry, site)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, localiseAll(entry, site)]),
  ) as T;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
