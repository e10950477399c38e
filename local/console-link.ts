/** The address that signs somebody in to the console of a deployment here: what follows `#` is sent to no server. */
export const consoleLink = (httpUrl: string, apiToken: string): string =>
  `${httpUrl}/console#token=${encodeURIComponent(apiToken)}`;
