/** Access to the functions of a running stack, for its starter. */
import type { LambdaFunction } from './lambda/function.ts';
import type { Site } from './site.ts';

/**
 * Invokes the one function whose logical id has this prefix. Rejects if there is not exactly one, and with the function's error
 * if the invocation fails.
 */
export async function invoke(site: Site, prefix: string, event: unknown): Promise<unknown> {
  const [target, ...others] = functionsOf(site, prefix);
  if (!target || others.length > 0) {
    throw new Error(
      `${prefix} must be the start of exactly one function's logical id; there are: ${[...site.functions.keys()].join(', ')}`,
    );
  }
  const outcome = await target.invoke(event, 'refuse');
  switch (outcome.kind) {
    case 'ok':
      return JSON.parse(outcome.result);
    case 'throttled':
      throw named('TooManyRequestsException', 'Rate Exceeded.');
    case 'tooLarge':
      throw named('RequestTooLargeException', 'the event is larger than 6 MB');
    case 'error':
    case 'timeout':
    case 'killed':
      throw named(outcome.error.errorType, outcome.error.errorMessage);
  }
}

/** The function with a logical id. Throws and lists the existing ones if there is none. */
export function functionOf(site: Site, id: string): LambdaFunction {
  const found = site.functions.get(id);
  if (!found)
    throw new Error(
      `${id} is not the logical id of a function; there are: ${[...site.functions.keys()].join(', ')}`,
    );
  return found;
}

/** Functions whose logical id has this prefix. */
export function functionsOf(site: Site, prefix: string): LambdaFunction[] {
  return [...site.functions].filter(([id]) => id.startsWith(prefix)).map(([, target]) => target);
}

function named(name: string, message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}
