/** Where sessions of this deployment may call back, and what those calls are signed with. */
export interface Callbacks {
  /**
   * The URL that is called, or why it may not be, as the end of a sentence ("must start with https://"). What its name
   * leads to is looked at when it is called.
   */
  check(text: string): { readonly url: URL } | { readonly refused: string };
  /**
   * What a tenant verifies its callbacks with, the newest first: more than one while they are rotated. Rejects when they
   * cannot be had.
   */
  secretsOf(tenant: string): Promise<string[]>;
}
