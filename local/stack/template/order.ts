import { attributeTarget, intrinsicOf, SUBSTITUTION, substitution } from './intrinsics.ts';
import { isObject, type Json, type TemplateResource } from './types.ts';

/** Logical ids in an order in which each comes after everything it references or depends on. Throws for a cycle, naming its members. */
export function creationOrder(resources: Record<string, TemplateResource>): string[] {
  const order: string[] = [];
  const done = new Set<string>();
  const visit = (id: string, trail: string[]): void => {
    if (done.has(id)) return;
    if (trail.includes(id))
      throw new Error(`resources depend on each other in a circle: ${[...trail, id].join(' -> ')}`);
    const resource = resources[id];
    if (!resource) return;
    for (const next of dependencies(resource)) visit(next, [...trail, id]);
    done.add(id);
    order.push(id);
  };
  for (const id of Object.keys(resources)) visit(id, []);
  return order;
}

function dependencies(resource: TemplateResource): Set<string> {
  const found = new Set<string>([resource.DependsOn ?? []].flat());
  collect(resource.Properties ?? {}, found);
  return found;
}

/** Adds every name that a value refers to, including names of parameters, which are harmless. */
function collect(value: Json, found: Set<string>): void {
  if (Array.isArray(value)) {
    for (const entry of value) collect(entry, found);
    return;
  }
  if (!isObject(value)) return;
  const call = intrinsicOf(value);
  if (call?.name === 'Ref') {
    found.add(String(call.argument));
  } else if (call?.name === 'Fn::GetAtt') {
    found.add(attributeTarget(call.argument).logicalId);
  } else {
    if (call?.name === 'Fn::Sub') {
      for (const match of substitution(call.argument).text.matchAll(SUBSTITUTION)) {
        found.add((match[1] ?? '').split('.')[0] ?? '');
      }
    }
    for (const entry of Object.values(value)) collect(entry, found);
  }
}
