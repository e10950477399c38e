/** Access for calls to GitHub that need a token. */
export interface Access {
  /** Base URL of the REST API, without a slash at its end. */
  readonly base: string;
  /** owner/name. An App's token is for this repository alone. */
  readonly repo: string;
  /** A token, or `{ "appId": …, "privateKey": "…" }` as JSON. */
  readonly secret: string;
  readonly signal: AbortSignal;
}
