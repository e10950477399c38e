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
