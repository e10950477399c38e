/** The URLs that sessions of this deployment may call back, and the secrets that sign those calls. */
export interface Callbacks {
  /**
   * The URL that is called, or why it may not be, as the end of a sentence ("must start with https://"). The addresses
   * behind its name are checked when it is called.
   */
  check(text: string): { readonly url: URL } | { readonly refused: string };
  /**
   * The secrets with which a tenant verifies its callbacks, the newest first: more than one during a rotation. Rejects
   * when they cannot be read.
   */
  secretsOf(tenant: string): Promise<string[]>;
}
