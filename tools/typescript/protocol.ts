/** What a compilation is given. */
export interface Job {
  /** Texts by path. */
  readonly files: ReadonlyMap<string, string>;
}

/** What it has come to. */
export interface Compiled {
  /** 0, or 2 as `tsc` has it; 124 when its time was over. */
  readonly exitCode: number;
  /** The first errors, a line each: `src/a.ts(3,7): error TS2322: …`. */
  readonly errors: readonly string[];
  /** How many there are. */
  readonly count: number;
}

/** What the compiler's thread says. */
export type FromCompiler =
  | { readonly kind: 'done'; readonly compiled: Compiled }
  | { readonly kind: 'broke'; readonly why: string };
