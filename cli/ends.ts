/** How a command ends that cannot do what it was asked for. */

/** The message is all that its user needs; no stack trace is shown. */
export class Failed extends Error {
  readonly exitCode: number = 1;
}

/** What was typed cannot be carried out, whatever the machine is like. */
export class WrongUsage extends Failed {
  override readonly exitCode = 2;
}
