import { isTooDeep } from '../../plain/depth.ts';
import type { Expressions } from '../../plain/expressions.ts';
import { memoize } from '../../plain/memoize.ts';
import { isRecord } from '../../plain/merge.ts';
import { At, type Checking, type Keyword, type Outcome, type ValuePlace } from './at.ts';
import { keywords } from './keywords.ts';
import { type References, referencesOf, type Schema } from './references.ts';
import { Uncheckable, Work } from './work.ts';

/** Checks values by one schema. Throws {@link Uncheckable}. */
export type Checker = (
  value: unknown,
) => readonly { readonly path: readonly string[]; readonly message: string }[];

/**
 * Makes a checker of a schema: JSON Schema 2020-12, and the keywords that draft-07 had in another form (`items` as a list,
 * `additionalItems`, `dependencies`). Schemas and values come from outside, so the work is bounded: each pair of a referenced
 * schema and a place is evaluated once, regular expressions run on RE2, and a check has a budget ({@link Work}). `$dynamicRef` is
 * read as `$ref`.
 *
 * @param expressions undefined if the schema has none
 */
export function checkerOf(document: Schema, expressions: Expressions | undefined): Checker {
  if (isTooDeep(document)) throw new Uncheckable('the schema is nested too deep');
  const references = referencesOf(document);
  return (value) => {
    if (isTooDeep(value)) throw new Uncheckable('nested too deep to check: at most 100 levels');
    const root: ValuePlace = { parent: undefined, key: '', children: new Map() };
    const { mistakes } = new Check(references, expressions).evaluate(document, value, root);
    return mistakes.map(({ place, message }) => ({ path: pathOf(place), message }));
  };
}

function pathOf(place: ValuePlace): string[] {
  const path: string[] = [];
  for (let at = place; at.parent; at = at.parent) path.unshift(at.key);
  return path;
}

const NONE: ReadonlySet<string> = new Set();
const FITS: Outcome = { mistakes: [], seen: NONE };

/** The check of one value. */
class Check implements Checking {
  readonly work = new Work();
  readonly #references: References;
  readonly #expressions: Expressions | undefined;
  readonly #compiled = new Map<string, ((text: string) => boolean) | undefined>();
  readonly #referred = new Map<Schema, Map<ValuePlace, Outcome | 'open'>>();

  constructor(references: References, expressions: Expressions | undefined) {
    this.#references = references;
    this.#expressions = expressions;
  }

  evaluate(schema: unknown, value: unknown, place: ValuePlace): Outcome {
    return this.work.within(() => {
      if (schema === false) return { mistakes: [{ place, message: 'must be absent' }], seen: NONE };
      if (!isRecord(schema)) return FITS;
      const at = new At(this, schema, value, place);
      for (const [keyword, given] of spokenBy(schema)) keyword(given, at);
      return at;
    });
  }

  follow(ref: string, from: object, value: unknown, place: ValuePlace): Outcome {
    const schema = this.#references.find(ref, from);
    if (schema === undefined)
      throw new Uncheckable(`the schema refers to ${ref.slice(0, 200)}, which is not in it`);
    const known = this.#referred.get(schema) ?? new Map<ValuePlace, Outcome | 'open'>();
    this.#referred.set(schema, known);
    const before = known.get(place);
    if (before === 'open')
      throw new Uncheckable(`the schema refers to itself without end at ${ref.slice(0, 200)}`);
    if (before) return before;
    known.set(place, 'open');
    const outcome = this.evaluate(schema, value, place);
    known.set(place, outcome);
    return outcome;
  }

  matches(pattern: string, text: string): boolean | undefined {
    this.work.spend(1);
    if (!this.#compiled.has(pattern)) this.#compiled.set(pattern, this.#compile(pattern));
    return this.#compiled.get(pattern)?.(text);
  }

  /** Compiles for this check only: RE2's cache for an expression grows to 8 MB. */
  #compile(pattern: string): ((text: string) => boolean) | undefined {
    this.work.spend(pattern.length);
    const expression = orNone(() => this.#expressions?.compileEcmaScript(pattern));
    if (!expression) return undefined;
    const { parts, test } = expression;
    this.work.spend(parts);
    return (text) => {
      this.work.match(parts, text.length);
      return test(text);
    };
  }
}

function orNone<Made>(make: () => Made | undefined): Made | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** The keywords of a schema that have an effect, in the order in which they are evaluated. */
const spokenBy = memoize((schema: Readonly<Record<string, unknown>>) =>
  [...keywords].flatMap(([name, keyword]): (readonly [Keyword, unknown])[] =>
    Object.hasOwn(schema, name) ? [[keyword, schema[name]]] : [],
  ),
);
