/** Errors that end a command. */

/** The message is all that the user needs; no stack trace is shown. */
export class Failed extends Error {
  readonly exitCode: number = 1;
}

/** The command line is invalid, on any machine. */
export class WrongUsage extends Failed {
  override readonly exitCode = 2;
}

/** Runs a command to its exit code. An error that is meant for the user is printed as its sentence; others are thrown. */
export async function exitCodeOf(command: () => Promise<number>): Promise<number> {
  try {
    return await command();
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    console.error(error.message);
    return error.exitCode;
  }
}
