import { defineTool } from 'steploop';
import * as z from 'zod';
import { github, withGithub } from '../github.ts';
import { issueNumber, repo } from '../input.ts';

export const getIssue = defineTool({
  name: 'get_issue',
  description:
    'Reads one issue: title, text, author, state, labels, and its latest comments. Start with this.',
  input: z.strictObject({ repo, number: issueNumber }),
  effect: 'read',
  ...withGithub,
  run: async ({ repo, number }, context) => {
    const hub = github(context);
    const issue = await hub.issue(repo, number);
    const comments = issue.comments > 0 ? await hub.lastComments(repo, number, issue.comments) : [];
    return {
      number: issue.number,
      title: issue.title,
      state: issue.state,
      author: issue.user?.login ?? 'ghost',
      labels: issue.labels,
      body: issue.body ?? '',
      totalComments: issue.comments,
      comments: comments.map(({ user, body }) => ({ author: user?.login ?? 'ghost', body: body ?? '' })),
    };
  },
});
