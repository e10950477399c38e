/** The result of a command. */
interface Failed {
  readonly exitCode: number | null;
  readonly said: string;
}

/** Texts of gates for the model: beside `texts.ts`, as they are read by the steps of agents that have some. */
export const gateTexts = {
  /** H18. */
  repair: (command: string, { exitCode, said }: Failed) =>
    `[steploop] You are not finished: the verification of this work has failed. It is \`${command}\`, and it ended with exit code ${exitCode}. Find the cause, mend it, and say what it was; it is run again when you are done. Do not change what it checks to make it pass. The end of what it said:\n${said}`,
  /** H18, for people. */
  stillFails: (command: string, { exitCode, said }: Failed, repairs: number) =>
    exitCode === null
      ? `The verification was not run: ${command}. ${said}`.slice(0, 500)
      : `The verification has failed with exit code ${exitCode}${repairs > 0 ? `, also after ${repairs === 1 ? 'a repair' : `${repairs} repairs`}` : ''}: ${command}.`,
  /** T30. */
  compileErrors: (errors: readonly string[], count: number) =>
    `[steploop] TypeScript that you have changed does not compile. Mend it; it is compiled again.${count > errors.length ? ` The first ${errors.length} of ${count} errors:` : ''}\n${errors.join('\n')}`,
  /** T34. */
  reflect: (stated: number | undefined) =>
    `[steploop] ${
      stated === undefined
        ? 'Before your answer counts, examine it: does it do all that was asked, and does what you have seen support it?'
        : `You have stated a confidence of ${stated}. Find what makes you unsure, and settle it.`
    } Use tools if something must be checked. Then give the whole answer again, corrected and without a word about this check, and end with a line of the form "Confidence: N", where N from 0 to 1 is how sure you are that nothing is wrong or missing.`,
  /** T34, for people. */
  unsure: (stated: number | undefined, enough: number) =>
    stated === undefined
      ? 'The model was asked to examine its answer, and stated no confidence that can be read.'
      : `The model has examined its answer, and states a confidence of ${stated}, below ${enough}.`,
  /** T32, for people. */
  openTasks: ({
    pending,
    inProgress,
    blocked,
  }: {
    readonly pending: number;
    readonly inProgress: number;
    readonly blocked: number;
  }) =>
    `Tasks are left open: ${pending} pending, of which ${blocked} blocked, and ${inProgress} in progress.`,
  /** T32. */
  nextTask: ({ id, title }: { readonly id: number; readonly title: string }, open: string) =>
    `[steploop] You are not finished: tasks of your list are open. Go on with task ${id}, ${JSON.stringify(title)}: do it now, then say with the tool that it is done. If it cannot be done, block it with the reason; drop what is not needed. Open:\n${open}`,
} as const;
