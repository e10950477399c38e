/** The parts of a request besides its method and URL. */
interface Parts {
  readonly query?: Record<string, string>;
  readonly headers?: Record<string, string>;
}

/** A request without a body in the form that the SDK's signer takes. The query of the URL does not count. */
export const toSign = (method: string, url: URL, { query = {}, headers = {} }: Parts = {}) => ({
  ...{ method, protocol: url.protocol, hostname: url.hostname },
  ...(url.port && { port: Number(url.port) }),
  ...{ path: url.pathname, query },
  headers: { host: url.host, ...headers },
});
