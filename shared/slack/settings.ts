/** Parts of a thread that the definition turns on. */
export interface ThreadSettings {
  /** Whether people may rate answers. */
  readonly rates?: true;
  /** Whether calls and tasks are shown as task cards. */
  readonly cards?: true;
}
