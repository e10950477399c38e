import type { Work } from './work.ts';

/** Where a value is inside the one that is checked. Each place is one object, so that maps can be keyed by it. */
export interface ValuePlace {
  readonly parent: ValuePlace | undefined;
  readonly key: string;
  readonly children: Map<string, ValuePlace>;
}

export interface Mistake {
  readonly place: ValuePlace;
  readonly message: string;
}

/** The outcome of one schema at one value. */
export interface Outcome {
  /** Empty when the value fits. At most {@link MAX_MISTAKES}. */
  readonly mistakes: readonly Mistake[];
  /** Keys and indexes that the schema has examined, which `unevaluatedProperties` and `unevaluatedItems` need. */
  readonly seen: ReadonlySet<string>;
}

const MAX_MISTAKES = 20;

/** The part of a check that keywords use. */
export interface Checking {
  readonly work: Work;
  evaluate(schema: unknown, value: unknown, place: ValuePlace): Outcome;
  /** Evaluates the schema that a reference names. */
  follow(ref: string, from: object, value: unknown, place: ValuePlace): Outcome;
  /** Whether a text matches; undefined if RE2 cannot handle the expression, which is then not checked. */
  matches(pattern: string, text: string): boolean | undefined;
}

/** One schema at one value: the object that keywords work on. */
export class At implements Outcome {
  readonly mistakes: Mistake[] = [];
  readonly seen = new Set<string>();
  readonly check: Checking;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly value: unknown;
  readonly #place: ValuePlace;

  constructor(check: Checking, schema: Readonly<Record<string, unknown>>, value: unknown, place: ValuePlace) {
    this.check = check;
    this.schema = schema;
    this.value = value;
    this.#place = place;
  }

  wrong(message: string): void {
    this.#add([{ place: this.#place, message }]);
  }

  /** Evaluates another schema at this value. */
  alike(schema: unknown): Outcome {
    return this.check.evaluate(schema, this.value, this.#place);
  }

  /** Evaluates a referenced schema at this value. */
  referred(ref: string): Outcome {
    return this.check.follow(ref, this.schema, this.value, this.#place);
  }

  /** Evaluates a schema at a member of this value. */
  member(schema: unknown, key: string, value: unknown): Outcome {
    const known = this.#place.children.get(key);
    const place = known ?? { parent: this.#place, key, children: new Map() };
    if (!known) this.#place.children.set(key, place);
    return this.check.evaluate(schema, value, place);
  }

  /** Merges another outcome for this value into this one. */
  take({ mistakes, seen }: Outcome): void {
    this.#add(mistakes);
    this.check.work.spend(seen.size);
    for (const key of seen) this.seen.add(key);
  }

  /** Requires that a member of this value fits a schema. */
  takeMember(schema: unknown, key: string, value: unknown): void {
    this.#add(this.member(schema, key, value).mistakes);
    this.seen.add(key);
  }

  #add(mistakes: readonly Mistake[]): void {
    this.mistakes.push(...mistakes.slice(0, MAX_MISTAKES - this.mistakes.length));
  }
}

/** Applies one keyword of a schema. A keyword whose argument has a wrong type is ignored. */
export type Keyword = (given: unknown, at: At) => void;
