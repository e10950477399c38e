/** The credential with which this tab signs its requests. */
export interface Credential {
  /** Called for each request: an issuer's token expires, and is renewed. */
  readonly token: () => Promise<string>;
  forget(): Promise<void>;
}
