import { ProblemError } from '../../../client/index.ts';

/** Whether something does not exist, or is not allowed for the user: the page leaves it out silently. */
export const isNotMine = (error: unknown): boolean =>
  error instanceof ProblemError && [403, 404].includes(error.problem.status);
