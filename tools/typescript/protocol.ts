/** The input of a compilation. */
export interface Job {
  /** Texts by path. */
  readonly files: ReadonlyMap<string, string>;
}

/** The result of a compilation. */
export interface Compiled {
  /** 0, or 2 like `tsc`; 124 if its time was over. */
  readonly exitCode: number;
  /** The first errors, a line each: `src/a.ts(3,7): error TS2322: …`. */
  readonly errors: readonly string[];
  /** Number of errors. */
  readonly count: number;
}

/** A message of the compiler's thread. */
export type FromCompiler =
  | { readonly kind: 'done'; readonly compiled: Compiled }
  | { readonly kind: 'broke'; readonly why: string };
