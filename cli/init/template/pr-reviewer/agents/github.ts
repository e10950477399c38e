/** The GitHub REST API, as far as the reviewer calls it: https://docs.github.com/en/rest/pulls */

import type { ToolContext } from 'steploop';

/** The declarations of a tool that calls GitHub. */
export const withGithub = { settings: ['GITHUB_API_URL'], secrets: ['GITHUB_TOKEN'] } as const;

type Context = ToolContext<'GITHUB_API_URL', 'GITHUB_TOKEN'>;

/** Sends a request; the answer is JSON. Throws with GitHub's own words, which the model then reads. */
export async function github(context: Context, path: string, body?: object): Promise<unknown> {
  const response = await fetch(context.setting('GITHUB_API_URL') + path, {
    method: body ? 'POST' : 'GET',
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${await context.secret('GITHUB_TOKEN')}`,
      'user-agent': 'steploop',
      'x-github-api-version': '2022-11-28',
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: context.signal,
  });
  if (!response.ok) throw new Error(`GitHub answered ${response.status}: ${await response.text()}`);
  return response.json();
}
