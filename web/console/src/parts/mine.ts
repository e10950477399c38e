import { ProblemError } from '../../../client/index.ts';

/** Whether something is not there, or not for whoever has signed in: the page leaves it out, and says nothing. */
export const isNotMine = (error: unknown): boolean =>
  error instanceof ProblemError && [403, 404].includes(error.problem.status);
