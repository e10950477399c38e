/** What a tool's results prove, for the guards that ask for evidence (H4). Without it its name is gone by. */
export interface Evidence {
  /** A call that succeeds has changed the file that its input names (`path`, `file_path`, …). */
  readonly changes?: 'files';
  /**
   * A call runs a verification: tests, a type check, a build. It passed when the result's `exitCode` (or `exit_code`) is
   * 0, or, where a tool returns none, when the call succeeded and its text tells of no failure.
   */
  readonly verifies?: boolean;
  /**
   * A call runs a command in a shell: `{ exitCode, stdout, stderr }` is what it returns at best. What the command changes
   * and verifies is read off its words.
   */
  readonly shell?: boolean;
  /**
   * What a call changes are files of the workspace: the system records which (docs/workspace.md), and nothing else proves that some have
   * changed, neither the tool's name nor the words of a command.
   */
  readonly workspace?: boolean;
  /** A call compiles the TypeScript of the workspace: `exitCode` and what does not compile are what it returns (T30). */
  readonly compiles?: boolean;
  /** A call changes the session's list of tasks (`services.tasks`): an answer counts when nothing of it is open (T32). */
  readonly tasks?: boolean;
}
