/** A wrong version of the protocol: one or more places in the code, each found once and replaced. */
export interface Mutant {
  readonly name: string;
  readonly edits: readonly Edit[];
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
