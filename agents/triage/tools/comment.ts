import { defineTool } from 'steploop';
import * as z from 'zod';
import { github, withGithub } from '../github.ts';
import { issueNumber, repo } from '../input.ts';
import { mark } from '../marker.ts';

/** `once`: GitHub has no idempotency keys for comments, and people get a mail for each comment. */
export const comment = defineTool({
  name: 'comment',
  description:
    'Writes a comment on an issue, in Markdown, for everybody to read. It cannot be taken back. At most one for each issue you triage.',
  input: z.strictObject({
    repo,
    number: issueNumber,
    text: z.string().trim().min(1).max(10_000).describe('The comment in Markdown; a few sentences.'),
  }),
  effect: 'once',
  ...withGithub,
  // No person follows a webhook's run; the marker in the comment prevents a second one.
  approval: 'never',
  run: async ({ repo, number, text }, context) => {
    const { html_url } = await github(context).comment(repo, number, mark(text, context.idempotencyKey));
    return { url: html_url };
  },
});
