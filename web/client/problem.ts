import type { Problem } from '../../shared/contract/http.ts';

/** The server's refusal, with its reason. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(
      [problem.detail ? `${problem.title}: ${problem.detail}` : problem.title, ...wrongFields(problem)].join(
        ' ',
      ),
    );
    this.name = 'ProblemError';
    this.problem = problem;
  }
}

/** The fields that the detail of a problem speaks of: "when.cron: it is never due". */
function wrongFields({ errors }: Problem): string[] {
  if (!Array.isArray(errors) || errors.length === 0) return [];
  return [errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')];
}

/** Whether a retry cannot help, because the request itself is refused. */
export const isFinal = ({ status }: Problem): boolean => status >= 400 && status < 500 && status !== 429;

/** The problem document of an error response; a made-up one if the response has none, as from a gateway. */
export function toProblem(response: Response, text: string): Problem {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'title' in body && 'status' in body)
      return body as Problem;
  } catch {
    // Not JSON: handled below.
  }
  return {
    type: 'about:blank',
    title: `${response.status} ${response.statusText}`.trim(),
    status: response.status,
    ...(text && { detail: text.slice(0, 200) }),
  };
}
