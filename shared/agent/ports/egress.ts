/**
 * Outgoing HTTP of tools, to public addresses only. Internal addresses of this account's network (private, link-local, loopback
 * and metadata services) are refused, by name, by address and after a redirect.
 */
export interface Egress {
  /**
   * As the platform's `fetch`. Rejects, with a sentence, if the URL is refused, there is no answer, or the answer is too large
   * or too slow. If a part of the body comes too late, reading the body rejects.
   */
  readonly fetch: (url: string | URL, init?: EgressInit) => Promise<Response>;
}

/** Options of one fetch beyond the standard. */
export interface EgressInit extends RequestInit {
  /** Bytes of the answer's body, unpacked: 5,000,000 when absent, at most 50,000,000. */
  readonly maxBytes?: number;
  /** Seconds until the whole answer must have been read: 30 when absent, at most 840. */
  readonly timeoutSeconds?: number;
}
