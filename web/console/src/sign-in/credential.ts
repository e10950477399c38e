/** What this tab signs its requests with. */
export interface Credential {
  /** Asked for each request: an issuer's token expires, and is renewed. */
  readonly token: () => Promise<string>;
  forget(): Promise<void>;
}
