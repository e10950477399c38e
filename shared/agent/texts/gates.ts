/** What the model reads of gates: beside `texts.ts`, as they are read by the steps of agents that have some. */
export const gateTexts = {
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
