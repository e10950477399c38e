/**
 * The GitHub REST API, as far as this agent calls it.
 *
 * Answers are parsed, so a server that is not GitHub is noticed here and not three steps later. Errors contain GitHub's message:
 * the tool shell turns them into error results, and the model reads them.
 */

import type { ToolContext } from 'steploop';
import * as z from 'zod';
import { forget, tokenFor } from './token.ts';

/** The setting and the secret that a tool must declare to call it. */
export const withGithub = { settings: ['GITHUB_API_URL'], secrets: ['GITHUB_TOKEN'] } as const;

export type GithubContext = Pick<
  ToolContext<(typeof withGithub.settings)[number], (typeof withGithub.secrets)[number]>,
  'signal' | 'setting' | 'secret'
>;

const User = z.object({ login: z.string() }).nullish();

/** Issues carry labels as objects; very old ones as bare names. */
const LabelName = z.union([z.string(), z.object({ name: z.string() }).transform((label) => label.name)]);

const Issue = z.object({
  number: z.int(),
  title: z.string(),
  state: z.string(),
  html_url: z.string(),
  user: User,
  body: z.string().nullish(),
  labels: z.array(LabelName),
  comments: z.int().default(0),
});
const Comment = z.object({ html_url: z.string(), user: User, body: z.string().nullish() });
const Label = z.object({ name: z.string(), description: z.string().nullish() });
const Search = z.object({ total_count: z.int(), items: z.array(Issue) });

export type Issue = z.output<typeof Issue>;
export type Comment = z.output<typeof Comment>;
export type Label = z.output<typeof Label>;

/** GitHub's largest page. */
const perPage = 100;

/** The calls, for one tool run. Each rejects with a {@link GithubError}, or when `signal` aborts. */
export const github = (context: GithubContext) => ({
  issue: (repo: string, number: number) => get(context, repo, Issue, `/repos/${repo}/issues/${number}`),

  /** The last page of an issue's comments, oldest first. `count` is the number in the issue. */
  lastComments: (repo: string, number: number, count: number, size = 20) =>
    get(context, repo, z.array(Comment), `/repos/${repo}/issues/${number}/comments`, {
      per_page: size,
      page: Math.max(1, Math.ceil(count / size)),
    }),

  labels: async (repo: string): Promise<Label[]> => {
    const all: Label[] = [];
    for (let page = 1; ; page++) {
      const some = await get(context, repo, z.array(Label), `/repos/${repo}/labels`, {
        per_page: perPage,
        page,
      });
      all.push(...some);
      if (some.length < perPage) return all;
    }
  },

  /** Issues of one repository. `words` are a query of GitHub's. */
  search: (repo: string, words: string, limit: number) =>
    get(context, repo, Search, '/search/issues', { q: `repo:${repo} is:issue ${words}`, per_page: limit }),

  addLabels: (repo: string, number: number, labels: readonly string[]) =>
    post(context, repo, z.array(Label), `/repos/${repo}/issues/${number}/labels`, { labels }),

  comment: (repo: string, number: number, body: string) =>
    post(context, repo, Comment, `/repos/${repo}/issues/${number}/comments`, { body }),
});

/** GitHub refused, or its answer differs from its documentation. */
export class GithubError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'GithubError';
    this.status = status;
  }
}

function get<T extends z.ZodType>(
  context: GithubContext,
  repo: string,
  answer: T,
  path: string,
  query: Record<string, string | number> = {},
): Promise<z.output<T>> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  return call(context, repo, answer, 'GET', search.size > 0 ? `${path}?${search}` : path);
}

function post<T extends z.ZodType>(
  context: GithubContext,
  repo: string,
  answer: T,
  path: string,
  body: unknown,
): Promise<z.output<T>> {
  return call(context, repo, answer, 'POST', path, JSON.stringify(body));
}

async function call<T extends z.ZodType>(
  context: GithubContext,
  repo: string,
  answer: T,
  method: 'GET' | 'POST',
  path: string,
  body?: string,
): Promise<z.output<T>> {
  const base = context.setting('GITHUB_API_URL').replace(/\/+$/, '');
  const access = { base, repo, secret: await context.secret('GITHUB_TOKEN'), signal: context.signal };
  const token = await tokenFor(access);
  const response = await fetch(base + path, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'user-agent': 'steploop',
      'x-github-api-version': '2022-11-28',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
    signal: context.signal,
  });
  const text = await response.text();
  const what = `${method} ${path.split('?', 1)[0]}`;
  if (response.status === 401) forget(access);
  if (!response.ok) throw new GithubError(response.status, `${what}: ${refusal(response, text)}`);
  const parsed = answer.safeParse(json(text));
  if (parsed.success) return parsed.data;
  throw new GithubError(
    response.status,
    `${what}: not an answer of GitHub's: ${z.prettifyError(parsed.error)}`,
  );
}

/** GitHub's message, and advice. */
function refusal(response: Response, text: string): string {
  const said = Said.safeParse(json(text));
  const message = said.success ? said.data.message : text.slice(0, 200) || response.statusText;
  const errors = said.success && said.data.errors ? ` ${JSON.stringify(said.data.errors)}` : '';
  return `GitHub answered ${response.status}: ${message}${errors}${hint(response)}`;
}

const Said = z.object({ message: z.string(), errors: z.unknown().optional() });

function hint({ status, headers }: Response): string {
  const wait = headers.get('retry-after');
  if (wait !== null) return ` (retry after ${wait} s)`;
  const reset = headers.get('x-ratelimit-reset');
  if (reset !== null && headers.get('x-ratelimit-remaining') === '0')
    return ` (the rate limit resets at ${new Date(Number(reset) * 1000).toISOString()})`;
  if (status === 401) return ' (the token is wrong or has expired: see the secret GITHUB_TOKEN)';
  if (status === 403) return ' (the token may not do this)';
  return '';
}

/** The value; undefined if `text` is not JSON. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
