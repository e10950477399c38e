import { defineTool } from 'steploop';
import * as z from 'zod';
import { github, withGithub } from '../github.ts';
import { repo } from '../input.ts';

export const searchIssues = defineTool({
  name: 'search_issues',
  description:
    'Searches the issues of a repository, open and closed, by words in their title and text. All words must occur, so one or two telling words find most. The issue being triaged is found too.',
  input: z.strictObject({
    repo,
    words: z.string().trim().min(1).max(100).describe('One or two words, for instance: login timeout'),
    limit: z.int().min(1).max(20).default(5).describe('How many issues to return at most.'),
  }),
  effect: 'read',
  ...withGithub,
  run: async ({ repo, words, limit }, context) => {
    const { total_count, items } = await github(context).search(repo, plain(words), limit);
    return {
      total: total_count,
      issues: items.map(({ number, title, state, labels }) => ({ number, title, state, labels })),
    };
  },
});

/** Words only: with a qualifier such as `repo:`, the agent could search outside of its repository. */
const plain = (words: string): string => words.replaceAll(/[:"()<>=-]+/g, ' ').trim();
