import * as z from 'zod';
import { ProblemBody } from '../../../shared/contract/answers.ts';
import { operations } from '../../../shared/contract/api.ts';
import { problemsOf } from './openapi.ts';

/** The routes as patterns, those without parameters first, so that `/hooks/dead` is not taken for a source. */
const described = Object.entries(operations)
  .map(([route, operation]) => {
    const named = route === 'POST /agui' ? `${route}(?:/.*)?` : route.replaceAll(/\{\w+\}/g, '[^/]+');
    const pattern = route === 'POST /chat' ? `${route}(?:/[^/]+)?` : named;
    return { route, operation, pattern: new RegExp(`^${pattern}$`) };
  })
  .toSorted((a, b) => Number(a.route.includes('{')) - Number(b.route.includes('{')));

/**
 * Throws if a function's answer differs from the description of the API. Responses that do not come from a function
 * pass.
 */
export function assertDescribed(
  method: string,
  path: string,
  { status, headers, body }: { readonly status: number; readonly headers: Headers; readonly body: unknown },
): void {
  const asked = `${method} ${path.split('?')[0]}`;
  const found = described.find(({ pattern }) => pattern.test(asked));
  if (!found) return;
  const { route, operation } = found;
  const wrong = (what: string) =>
    new Error(`${route} answered ${status}, which the API's description ${what}`);
  if (headers.get('content-type') === 'application/problem+json') {
    const { title } = ProblemBody.parse(body);
    if (!problemsOf(operation)[status]?.includes(title)) throw wrong(`has not as "${title}"`);
    return;
  }
  if (status >= 400) return;
  const answer = operation.answers[status];
  if (answer === undefined) throw wrong('does not know');
  if (typeof answer === 'string') return;
  const parsed = answer.safeParse(body);
  if (!parsed.success) throw wrong(`has otherwise: ${z.prettifyError(parsed.error)}`);
}
