/** A wrong version of the protocol: one or more places in the code, each found once and replaced. */
export interface Mutant {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** The tests that kill it, if the simulator does not: it runs the core on the stores in memory, without the adapters. */
  readonly tests?: Tests;
}

/** A file of tests. */
export interface Tests {
  readonly lane: 'unit' | 'contract';
  /** From the folder of its lane. */
  readonly file: string;
  /** A part of the names of those to run; all by default. */
  readonly only?: string;
}

export interface Edit {
  /** From the root of the project. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A mutant with one edit. */
export const mutant = (name: string, file: string, find: string, replace: string): Mutant => ({
  name,
  edits: [{ file, find, replace }],
});
