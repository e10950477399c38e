/**
 * Whether what a port rejected with says that its service cannot be reached, fails or throttles, and that the same request
 * may succeed later. Adapters reject with whatever their service's library throws, so each set of adapters brings its own.
 * What a service refuses (a wrong request, a missing permission) is a mistake of ours: no outage, and never a reason to try
 * again.
 */
export type IsOutage = (error: unknown) => boolean;
