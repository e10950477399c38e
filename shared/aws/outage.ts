import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';

type SdkError = Parameters<typeof isTransientError>[0];

/**
 * Whether an error says that a service cannot be reached, fails or throttles, and the same request may succeed later.
 * It uses the rules by which the AWS SDK retries; the SDK has already retried in vain. A refusal by a service (a wrong
 * request, a missing permission, a queue that does not exist) is a mistake of ours and fails for ever.
 */
export const isOutage = (error: unknown): boolean =>
  error instanceof Error &&
  [isThrottlingError, isTransientError, isServerError].some((is) => is(error as SdkError));
