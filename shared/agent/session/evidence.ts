/** The proof that a tool's results give, for the guards that ask for evidence. Without it, the tool's name decides. */
export interface Evidence {
  /** A successful call has changed the file that its input names (`path`, `file_path`, …). */
  readonly changes?: 'files';
  /**
   * A call runs a verification: tests, a type check, a build. It passed if the result's `exitCode` (or `exit_code`) is 0. If a
   * tool returns none, it passed if the call succeeded and its text reports no failure.
   */
  readonly verifies?: boolean;
  /**
   * A regular expression: a result with a match is a failure, and any other is none. When absent, a failure is an exit code other
   * than 0, `isError: true`, `ok: false` with an error, or a report of a failure in the text.
   */
  readonly fails?: string;
  /**
   * A call runs a command in a shell, and preferably returns `{ exitCode, stdout, stderr }`. Its command text shows what it
   * changes and verifies.
   */
  readonly shell?: boolean;
  /**
   * A call changes files of the workspace only: the system records which (docs/workspace.md). Nothing else proves a change,
   * neither the tool's name nor the text of a command.
   */
  readonly workspace?: boolean;
  /** A call compiles the TypeScript of the workspace: it returns `exitCode` and the errors. */
  readonly compiles?: boolean;
  /** A call changes the session's list of tasks (`services.tasks`): an answer is accepted if no task is open. */
  readonly tasks?: boolean;
}
