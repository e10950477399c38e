import { contains, defineEval, judge, scorer, within } from 'steploop/evals';
import { calls, says } from 'steploop/testing';
import { writer } from '../agents/writer.ts';

const asksBoth = calls(
  ['analyse', { task: 'Analyse the sales.' }],
  ['analyse', { task: 'Analyse the support.' }],
);

/** Both areas are asked for, each once. */
const both = scorer('both areas', ({ calls }) => {
  const tasks = calls.map(({ input }) => JSON.stringify(input));
  return tasks.length === 2 && [/sales/i, /support/i].every((area) => tasks.some((task) => area.test(task)));
});

export default defineEval({
  agent: writer,
  expect: [both, within({ steps: 4, costUsd: 0.1 })],
  cases: [
    {
      name: 'two analyses',
      user: 'Write the report of yesterday.',
      tools: {
        analyse: ({ task }: { task: string }) =>
          /sales/i.test(task) ? '184 orders, up 8 %.' : '37 tickets, up 68 %: look into it.',
      },
      script: [asksBoth, says('Sales: 184 orders, up 8 %. Support: 37 tickets, up 68 %: look into it.')],
      expect: [contains('184', '37')],
    },
    {
      name: 'an analysis that is missing',
      user: 'Write the report of yesterday.',
      tools: {
        analyse: ({ task }: { task: string }) => {
          if (/sales/i.test(task)) throw new Error('The agent ran out of time.');
          return '37 tickets, up 68 %.';
        },
      },
      script: [asksBoth, says('Support: 37 tickets, up 68 %. The analysis of the sales is missing.')],
      expect: [
        contains('37'),
        judge({
          asks: 'Does the report say that the analysis of the sales is missing, and invent no figure?',
        }),
      ],
    },
  ],
});
