/** Mutants of the object that a run must answer with. */

import { type Mutant, mutant } from './mutant.ts';

const answers = 'shared/agent/step/open/answers.ts';
const lastWord = 'shared/agent/step/end/final-answer.ts';
const outcomes = 'shared/agent/step/end/outcomes.ts';
const keptReply = 'shared/agent/step/end/kept-reply.ts';

export const objectMutants: readonly Mutant[] = [
  mutant(
    'object: an invalid one completes',
    outcomes,
    "if (given?.kind === 'unfit' && step.answers &&",
    "if (given?.kind === 'unfit' && !step.answers &&",
  ),
  mutant('object: is forgotten with its run', keptReply, '...(fits && { object: given.object }),', ''),
  mutant(
    'object: a deploy changes its schema',
    answers,
    'if (deployed && canonicalJson(askedBy(deployed)) === canonicalJson(schema)) return deployed;',
    'if (deployed) return deployed;',
  ),
  mutant(
    'object: the last text does not count',
    lastWord,
    "return [...new Set([textOf(last.reply?.content ?? []), said.join('')])];",
    'return said.slice(0, -1);',
  ),
];
