/** The result of one check. */
export interface Finding {
  /** `ok`; `wrong` needs mending; `look` may be on purpose; `skipped` could not be checked. */
  readonly state: 'ok' | 'wrong' | 'look' | 'skipped';
  /** The subject, in a word or two: `model claude-sonnet-5-5`. */
  readonly of: string;
  readonly says: string;
  /** The way to mend it: a command, or a page of the documentation. */
  readonly mend?: string;
}

export const ok = (of: string, says: string): Finding => ({ state: 'ok', of, says });
export const wrong = (of: string, says: string, mend: string): Finding => ({
  state: 'wrong',
  of,
  says,
  mend,
});
export const look = (of: string, says: string, mend: string): Finding => ({ state: 'look', of, says, mend });
export const skipped = (of: string, says: string): Finding => ({ state: 'skipped', of, says });

/** The finding of a check that asks AWS, which may refuse. */
export async function reading(of: string, check: () => Promise<Finding>): Promise<Finding> {
  try {
    return await check();
  } catch (error) {
    return wrong(
      of,
      `AWS refuses: ${(error as Error).message}`,
      'Are these credentials of the account, and may they read it?',
    );
  }
}
