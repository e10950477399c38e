import { defineTool } from 'steploop';
import * as z from 'zod';
import { github, withGithub } from '../github.ts';
import { repo } from '../input.ts';

export const listLabels = defineTool({
  name: 'list_labels',
  description: 'Lists all labels of a repository, each with what it is for. add_labels takes only these.',
  input: z.strictObject({ repo }),
  effect: 'read',
  ...withGithub,
  run: async ({ repo }, context) => {
    const labels = await github(context).labels(repo);
    return labels.map(({ name, description }) => ({ name, description: description ?? '' }));
  },
});
