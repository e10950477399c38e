/** A call to GitHub that needs a token. */
export interface Access {
  /** Base URL of the REST API, without a slash at its end. */
  readonly base: string;
  /** owner/name: the token of an App is for this repository alone. */
  readonly repo: string;
  /** A token, or `{ "appId": …, "privateKey": "…" }` as JSON. */
  readonly secret: string;
  readonly signal: AbortSignal;
}
