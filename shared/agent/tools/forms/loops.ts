import { counter, isObject, type Json, type JsonObject } from './json.ts';
import { mapSchemas } from './keywords.ts';

/** Keywords whose schemas apply to the same value as the schema that has them. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'];

/**
 * Removes references that lead back to themselves before they have examined any part of the value: following them would never
 * end. Such a reference adds nothing.
 */
export function withoutLoops(root: JsonObject): JsonObject {
  const { $defs } = root;
  const defs = isObject($defs) ? $defs : {};
  const nodes = new Map<string, JsonObject>([['#', root]]);
  for (const [name, schema] of Object.entries(defs))
    if (isObject(schema)) nodes.set(`#/$defs/${name}`, schema);
  const leads = new Map([...nodes].map(([ref, schema]) => [ref, refsInPlace(schema)]));
  const count = counter();
  const inLoop = new Set([...nodes.keys()].filter((ref) => reaches(ref, ref, leads, count)));
  if (inLoop.size === 0) return root;

  const loops = (from: string, to: Json | undefined): boolean =>
    typeof to === 'string' &&
    inLoop.has(from) &&
    inLoop.has(to) &&
    (to === from || reaches(to, from, leads, count));
  const cut = (schema: JsonObject, from: string): JsonObject => {
    const { $ref, ...rest } = schema;
    const own = loops(from, $ref) ? rest : schema;
    return Object.fromEntries(
      Object.entries(own).map(([keyword, value]) => [
        keyword,
        IN_PLACE.includes(keyword) ? mapIn(keyword, value, (inner) => cut(inner, from)) : value,
      ]),
    );
  };
  const clean = Object.entries(defs).map(([name, schema]) => [
    name,
    isObject(schema) ? cut(schema, `#/$defs/${name}`) : schema,
  ]);
  const whole = cut(root, '#');
  return $defs === undefined ? whole : { ...whole, $defs: Object.fromEntries(clean) };
}

const mapIn = (keyword: string, value: Json, map: (inner: JsonObject) => JsonObject): Json =>
  mapSchemas({ [keyword]: value }, map)[keyword] ?? value;

function refsInPlace(schema: JsonObject): readonly string[] {
  const refs: string[] = [];
  const visit = (one: JsonObject): JsonObject => {
    if (typeof one.$ref === 'string') refs.push(one.$ref);
    for (const keyword of IN_PLACE) if (one[keyword] !== undefined) mapIn(keyword, one[keyword], visit);
    return one;
  };
  visit(schema);
  return refs;
}

function reaches(
  from: string,
  to: string,
  leads: ReadonlyMap<string, readonly string[]>,
  count: () => void,
): boolean {
  const seen = new Set<string>();
  const open = [...(leads.get(from) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    count();
    if (next === to) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(leads.get(next) ?? []));
  }
  return false;
}
