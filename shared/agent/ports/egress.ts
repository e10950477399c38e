/**
 * The way out for tools: HTTP to public addresses, and nowhere else. What is inside of this account's network (private,
 * link-local and loopback addresses, services of metadata) is refused, by name, by address and after a redirect.
 */
export interface Egress {
  /**
   * As the platform's `fetch`. Rejects, with a sentence, when the URL is refused, nobody answers, or the answer is too large
   * or too slow; what comes too late of a body rejects its reading.
   */
  readonly fetch: (url: string | URL, init?: EgressInit) => Promise<Response>;
}

/** What one fetch may be told beyond the standard. */
export interface EgressInit extends RequestInit {
  /** Bytes of the answer's body, unpacked: 5,000,000 when absent, at most 50,000,000. */
  readonly maxBytes?: number;
  /** Seconds until the whole answer must have been read: 30 when absent, at most 840. */
  readonly timeoutSeconds?: number;
}
