/** `GET /console/config.json`: where the console finds what it talks to. The HTTP API is where it comes from itself. */
export interface ConsoleConfig {
  readonly socketUrl: string;
  /** Set when people sign in by OIDC. */
  readonly oidc?: {
    readonly issuer: string;
    readonly clientId: string;
    /** Which of the issuer's tokens the APIs take. */
    readonly token: 'id_token' | 'access_token';
  };
}
