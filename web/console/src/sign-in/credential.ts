/** The credential with which this tab signs its requests. */
export interface Credential {
  /** Called for each request: an issuer's token expires, and is renewed. */
  readonly token: () => Promise<string>;
  /**
   * When the session ends, in epoch ms: with its token, unless the issuer renews that. Undefined if the token does not say, as API
   * keys and the deployment's API token.
   */
  readonly endsAt: () => Promise<number | undefined>;
  forget(): Promise<void>;
}
