/** The address that offers to sign a user in to the console of a local deployment. The part after `#` is sent to no server. */
export const consoleLink = (httpUrl: string, apiToken: string): string =>
  `${httpUrl}/console#token=${encodeURIComponent(apiToken)}`;
