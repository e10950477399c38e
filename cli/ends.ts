/** Errors that end a command. */

/** The message is all that the user needs; no stack trace is shown. */
export class Failed extends Error {
  readonly exitCode: number = 1;
}

/** The command line is invalid, on any machine. */
export class WrongUsage extends Failed {
  override readonly exitCode = 2;
}
