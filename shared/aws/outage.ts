import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';

type SdkError = Parameters<typeof isTransientError>[0];

/**
 * Whether an error says that a service cannot be reached, fails or throttles, and the same request may succeed later:
 * by the rules by which the AWS SDK tries again, which has tried in vain. What a service refuses (a wrong request, a
 * missing permission, a queue that is not there) is a mistake of ours and fails for ever.
 */
export const isOutage = (error: unknown): boolean =>
  error instanceof Error &&
  [isThrottlingError, isTransientError, isServerError].some((is) => is(error as SdkError));
