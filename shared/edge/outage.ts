/**
 * Whether a port's rejection says that its service cannot be reached, fails or throttles, and that the same request may
 * succeed later. Adapters reject with the errors of their service's library, so each set of adapters brings its own
 * check. A refusal (a wrong request, a missing permission) is a mistake of ours: no outage, and never a reason to
 * retry.
 */
export type IsOutage = (error: unknown) => boolean;
