import { defineTool } from 'steploop';
import * as z from 'zod';
import { github, withGithub } from '../github.ts';
import { issueNumber, repo } from '../input.ts';

export const addLabels = defineTool({
  name: 'add_labels',
  description:
    'Adds labels to an issue and keeps those it has. Takes only labels of the repository, by their exact names from list_labels. Returns all labels that the issue has now.',
  input: z.strictObject({
    repo,
    number: issueNumber,
    labels: z.array(z.string().min(1)).min(1).max(10).describe('Names of labels.'),
  }),
  effect: 'idempotent',
  ...withGithub,
  run: async ({ repo, number, labels }, context) => {
    const hub = github(context);
    // GitHub itself would create a label that does not exist.
    const known = new Map((await hub.labels(repo)).map(({ name }) => [name.toLowerCase(), name]));
    const unknown = labels.filter((name) => !known.has(name.toLowerCase()));
    if (unknown.length > 0)
      throw new Error(
        `${repo} has no label ${unknown.join(', ')}. It has: ${[...known.values()].join(', ')}`,
      );
    const names = labels.map((name) => known.get(name.toLowerCase()) ?? name);
    const now = await hub.addLabels(repo, number, names);
    return { labels: now.map(({ name }) => name) };
  },
});
