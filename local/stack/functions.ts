/** The functions of a running stack, for whoever has started it. */
import type { LambdaFunction } from './lambda/function.ts';
import type { Site } from './site.ts';

/**
 * Invokes the one function whose logical id starts so. Rejects when there is not exactly one, and with the function's error
 * when the invocation fails.
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

/** The function of a logical id. Throws, with those that there are, when there is none. */
export function functionOf(site: Site, id: string): LambdaFunction {
  const found = site.functions.get(id);
  if (!found)
    throw new Error(
      `${id} is not the logical id of a function; there are: ${[...site.functions.keys()].join(', ')}`,
    );
  return found;
}

/** Those whose logical id starts so. */
export function functionsOf(site: Site, prefix: string): LambdaFunction[] {
  return [...site.functions].filter(([id]) => id.startsWith(prefix)).map(([, target]) => target);
}

function named(name: string, message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}
