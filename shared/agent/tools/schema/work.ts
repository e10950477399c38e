/**
 * Work that one check may take. One unit takes about a microsecond: a schema evaluated at a value, a key, a member of a list, or
 * {@link MATCHES} operations of a regular expression. 100 kB of arguments under an ordinary schema take about 40,000.
 */
const MAX_WORK = 250_000;
/** Schemas nested in each other during one check. Each takes some frames of the stack; a value has at most 100 levels. */
const MAX_NESTED = 500;
/** Operations of RE2 that count as one unit. It does 25 to 100 million per second in the worst case, and usually many more. */
const MATCHES = 25;

/** Says why a value cannot be checked by a schema. */
export class Uncheckable extends Error {}

const tooMuch = () =>
  new Uncheckable('too large or too complex to check against the schema: send less at a time');

/** The budget of one check. */
export class Work {
  #left = MAX_WORK;
  #nested = 0;

  /** Throws {@link Uncheckable} if the budget is used up. */
  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw tooMuch();
  }

  /** Spends the cost of an expression with this many instructions on a text of that length. */
  match(parts: number, chars: number): void {
    this.spend(1 + Math.ceil((parts * (chars + 1)) / MATCHES));
  }

  /** Runs one nested check. */
  within<Came>(check: () => Came): Came {
    this.#nested += 1;
    if (this.#nested > MAX_NESTED) throw tooMuch();
    this.spend(1);
    const came = check();
    this.#nested -= 1;
    return came;
  }
}
