import { readOnce } from '../agent/plain/read-once.ts';
import type { LaterAnswers } from '../agent/ports/callbacks.ts';
import type { LaterItems } from './later-items.ts';

const read = readOnce(() => import('./later-items.ts'));

/**
 * Calls that are answered later. The code that stores them is loaded with the first one.
 *
 * @param httpUrl base URL of the HTTP API; absent in functions that run no tools
 */
export function openLater(httpUrl: string | undefined, items: LaterItems): LaterAnswers {
  const through =
    <Name extends Exclude<keyof LaterAnswers, 'urlOf'>>(name: Name) =>
    async (...args: Parameters<LaterAnswers[Name]>) =>
      Reflect.apply((await read()).createLater(items)[name], undefined, args);
  return {
    urlOf(token) {
      if (!httpUrl) throw new Error('this function does not know where calls are answered later');
      return `${httpUrl}/callbacks/${token}`;
    },
    grant: through('grant'),
    granted: through('granted'),
    settle: through('settle'),
    countTold: through('countTold'),
    resolve: through('resolve'),
    settled: through('settled'),
  };
}
