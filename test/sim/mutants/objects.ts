/** Mutants of the object that a run is to answer with. */

import { type Mutant, mutant } from './mutant.ts';

const answers = 'shared/agent/step/open/answers.ts';
const lastWord = 'shared/agent/step/end/final-answer.ts';
const outcomes = 'shared/agent/step/end/outcomes.ts';

export const objectMutants: readonly Mutant[] = [
  mutant(
    'object: what is none completes',
    outcomes,
    "if (given?.kind === 'unfit' && step.answers &&",
    "if (given?.kind === 'unfit' && !step.answers &&",
  ),
  mutant('object: is forgotten with its run', outcomes, '...(fits && { object: given.object }),', ''),
  mutant(
    'object: a deploy says what it is held to',
    answers,
    'if (deployed && canonicalJson(askedBy(deployed)) === canonicalJson(schema)) return deployed;',
    'if (deployed) return deployed;',
  ),
  mutant(
    'object: what is said last does not count',
    lastWord,
    "return [...new Set([textOf(last.reply?.content ?? []), said.join('')])];",
    'return said.slice(0, -1);',
  ),
];
