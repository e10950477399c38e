import { createRequire } from 'node:module';

/** DynamoDB's form of a value: `{ S: 'text' }`. */
type Value = Readonly<Record<string, unknown>>;

/** The used part of the context that dynalite gives its parsers besides the text of an expression. */
interface Context {
  readonly attrNames?: Readonly<Record<string, string>>;
  readonly attrVals?: Readonly<Record<string, Value>>;
  /** Names that no expression of the request has used yet: a parser removes those that it meets. */
  readonly unusedAttrNames: Record<string, unknown>;
  readonly unusedAttrVals: Record<string, unknown>;
  compare(operator: string, a: Value, b: Value): boolean;
}

/** Returns the meaning of an expression, or a text that describes its error. Throws for a syntax error. */
type Parse = (text: string, options: { readonly context: Context }) => unknown;

/** The cached result for an expression, for requests that differ only in the contents of their values. */
interface Remembered {
  /** Its meaning, with a `Place` for each value. */
  readonly meaning: unknown;
  readonly names: readonly string[];
  readonly values: readonly string[];
  /** Values that are the bounds of a BETWEEN: the lower one may not be greater. */
  readonly bounds: readonly (readonly [string, string])[];
}

/** The position of a value. */
class Place {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Programs have some dozens; numbers inside expressions make more. */
const MOST = 1_000;

let taught = false;

/**
 * dynalite parses each expression of each request again, which took half of its time. This makes its parsers cache their results.
 * Once per process.
 */
export function rememberExpressions(): void {
  if (taught) return;
  taught = true;
  const require = createRequire(import.meta.url);
  for (const name of ['conditionParser', 'updateParser', 'projectionParser']) {
    const parser: { parse: Parse } = require(`dynalite/db/${name}`);
    parser.parse = remembering(parser.parse);
  }
}

/** A parser with the same results that parses an expression once for all values of the same types. */
export function remembering(parse: Parse): Parse {
  const known = new Map<string, Remembered>();
  return (text, { context }) => {
    // The parser reads the content of a value here: the name of a type.
    if (text.includes('attribute_type')) return parse(text, { context });
    const { attrVals = {} } = context;
    const key = keyOf(text, context);
    const found = known.get(key);
    if (found && isInOrder(found, context)) {
      takeOut(found, context);
      return copied(found.meaning, (node) => (node instanceof Place ? attrVals[node.name] : undefined));
    }
    const first = firstTime(parse, text, context);
    if (!first.toRemember) return first.meaning;
    if (known.size >= MOST) known.clear();
    known.set(key, first.toRemember);
    takeOut(first.toRemember, context);
    return first.meaning;
  };
}

/** A key that is equal for expressions with the same meaning, whatever the contents of values. */
function keyOf(text: string, { attrNames = {}, attrVals = {} }: Context): string {
  const types = Object.entries(attrVals).map(([name, value]) => [
    name,
    Object.keys(value).filter((type) => value[type] != null),
  ]);
  return JSON.stringify([text, attrNames, types]);
}

const isInOrder = ({ bounds }: Remembered, { attrVals = {}, compare }: Context): boolean =>
  bounds.every(([lower, upper]) => !compare('GT', attrVals[lower] as Value, attrVals[upper] as Value));

/** Marks the names and values in the expression as used. */
function takeOut({ names, values }: Remembered, { unusedAttrNames, unusedAttrVals }: Context): void {
  for (const name of names) delete unusedAttrNames[name];
  for (const value of values) delete unusedAttrVals[value];
}

/** Errors are returned and not cached. */
function firstTime(
  parse: Parse,
  text: string,
  context: Context,
): { meaning: unknown; toRemember?: Remembered } {
  const { attrNames = {}, attrVals = {} } = context;
  const unusedAttrNames: Record<string, unknown> = { ...attrNames };
  const unusedAttrVals: Record<string, unknown> = { ...attrVals };
  const nameOf = new Map<object, string>(Object.entries(attrVals).map(([name, value]) => [value, name]));
  const bounds: [string, string][] = [];
  const compare: Context['compare'] = (operator, a, b) => {
    bounds.push([nameOf.get(a) ?? '', nameOf.get(b) ?? '']);
    return context.compare(operator, a, b);
  };
  const meaning = parse(text, { context: { ...context, unusedAttrNames, unusedAttrVals, compare } });
  if (typeof meaning !== 'object') return { meaning };
  const toRemember: Remembered = {
    meaning: copied(meaning, (node) => {
      const name = nameOf.get(node);
      return name === undefined ? undefined : new Place(name);
    }),
    names: Object.keys(attrNames).filter((name) => !(name in unusedAttrNames)),
    values: Object.keys(attrVals).filter((name) => !(name in unusedAttrVals)),
    bounds,
  };
  return { meaning, toRemember };
}

/** A copy that its reader may change, as dynalite does. Nodes for which `other` returns a value are replaced by it. */
function copied(node: unknown, other: (node: object) => unknown): unknown {
  if (typeof node !== 'object' || node === null) return node;
  const instead = other(node);
  if (instead !== undefined) return instead;
  if (Array.isArray(node)) return node.map((one) => copied(one, other));
  const copy = Object.create(Object.getPrototypeOf(node));
  for (const [key, value] of Object.entries(node)) copy[key] = copied(value, other);
  return copy;
}
