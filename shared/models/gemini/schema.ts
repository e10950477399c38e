import { own } from '../../agent/plain/merge.ts';
import { isObject, type Json } from '../common/json.ts';

/** Most schemas that are expanded for one tool: recursive ones end there. */
const MOST = 2_000;

/** Keywords that only describe a document of schemas. */
const DROPPED: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$defs',
  'definitions',
  '$comment',
  '$anchor',
]);

/** Keywords whose value is data, not a schema. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'required']);

/** Keywords whose value maps names to schemas: a property may be named as a keyword. */
const BY_NAME: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas']);

/**
 * A JSON Schema in the form that Gemini takes in `parametersJsonSchema` and `responseJsonSchema`. It takes the vocabulary,
 * which its own `parameters` does not, but refuses references: "reference to undefined schema at …"
 * (google-gemini/gemini-cli#13326), "$ref was set alongside unsupported fields" (anomalyco/opencode#12295). So each one is
 * replaced by its target; inside of itself, and beyond {@link MOST} schemas, by the type of the target.
 */
export function withoutReferences(root: Json): Json {
  let left = MOST;
  const defs = isObject(root.$defs) ? root.$defs : {};
  const targetOf = (ref: string): unknown => (ref === '#' ? root : own(defs, ref.replace('#/$defs/', '')));

  const schemaOf = (schema: unknown, inside: readonly string[]): unknown => {
    if (Array.isArray(schema)) return schema.map((one) => schemaOf(one, inside));
    if (!isObject(schema)) return schema;
    left--;
    const { $ref: ref, ...rest } = schema;
    if (typeof ref !== 'string') return mapped(rest, inside);
    const target = targetOf(ref);
    if (!isObject(target)) return mapped(rest, inside);
    if (left < 0 || inside.includes(ref)) return { ...typeOf(target), ...describedBy(rest) };
    return { ...(mapped(target, [...inside, ref]) as Json), ...(mapped(rest, inside) as Json) };
  };

  const mapped = (schema: Json, inside: readonly string[]): Json =>
    Object.fromEntries(
      Object.entries(schema)
        .filter(([key]) => !DROPPED.has(key))
        .map(([key, value]) => {
          if (DATA.has(key)) return [key, value];
          if (!BY_NAME.has(key) || !isObject(value)) return [key, schemaOf(value, inside)];
          const entries = Object.entries(value).map(([name, one]) => [name, schemaOf(one, inside)]);
          return [key, Object.fromEntries(entries)];
        }),
    );

  return mapped(root, ['#']);
}

const typeOf = ({ type, description }: Json): Json => ({
  type: typeof type === 'string' ? type : 'object',
  ...describedBy({ description }),
});

const describedBy = ({ description }: Json): Json => (typeof description === 'string' ? { description } : {});
