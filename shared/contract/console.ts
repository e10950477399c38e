/** `GET /console/config.json`: the addresses that the console needs. The HTTP API is at the console's own origin. */
export interface ConsoleConfig {
  readonly socketUrl: string;
  /** Set when people sign in by OIDC. */
  readonly oidc?: {
    readonly issuer: string;
    readonly clientId: string;
    /** Which of the issuer's tokens the APIs accept. */
    readonly token: 'id_token' | 'access_token';
  };
}
