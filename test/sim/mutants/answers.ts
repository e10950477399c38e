/** Mutants of calls that are answered later (`entrypoints/answer.ts`, `step/batch/awaiting.ts`). */

import { type Mutant, mutant } from './mutant.ts';

const answer = 'shared/agent/entrypoints/answer.ts';
const awaiting = 'shared/agent/step/batch/awaiting.ts';

export const answerMutants: readonly Mutant[] = [
  mutant(
    'answers: the last one counts',
    'shared/memory/later.ts',
    '      if (before) return { stands: before, first: false };\n',
    '',
  ),
  mutant(
    'answers: a faster answer is told that it is too late',
    answer,
    ' || (await hasResult(grant, io))',
    '',
  ),
  mutant(
    'pages: a message does not end the wait for one',
    'shared/agent/session/waits.ts',
    "page: { settledBy: 'answer', endsWith: 'answer', reason",
    "page: { settledBy: 'answer', reason",
  ),
  {
    ...mutant(
      'pages: a call that a message has overtaken is asked for again',
      awaiting,
      'ends || isOvertaken || endOf(',
      'ends || endOf(',
    ),
    tests: { lane: 'unit', file: 'pages/page-tools.test.ts', only: 'a message before the answer' },
  },
  mutant(
    'answers: an expired wait asks for no answer',
    awaiting,
    '(await io.later.settle(loaded.key, id, { result: why })).stands',
    '{ result: why, digest: undefined }',
  ),
  mutant(
    'answers: not looked up for a worker that died in the queue',
    awaiting,
    'if (start) return start.again || !kept ? unknown() : undefined;',
    'if (start) return undefined;',
  ),
  mutant(
    'answers: not looked up for a worker that died in its step',
    awaiting,
    'if (intents.includes(call.id) && !kept) return unknown();',
    'if (intents.includes(call.id) && !kept) return undefined;',
  ),
  mutant(
    'answers: a queued call that asked a person has given out no token',
    'shared/agent/entrypoints/call.ts',
    'const again = on.again || answers.length > 0;',
    'const { again } = on;',
  ),
  mutant(
    'answers: not looked up for calls that an ending run does not start',
    awaiting,
    'const result = await settledAs(step, slot, call, notStarted(one));',
    'const result = notStarted(one);',
  ),
  mutant(
    'answers: a denial ends the wait for nothing',
    awaiting,
    'return last && settledAs(step, batch.slot, call, last);',
    "return last && (last.outcome === 'unknown' ? settledAs(step, batch.slot, call, last) : last);",
  ),
  mutant(
    'answers: of several rounds a call gets only the last',
    awaiting,
    '[...(own(answers, callId) ?? []), decision.note',
    '[decision.note',
  ),
  mutant(
    'answers: each round gets the one before',
    awaiting,
    "withRound(waitId(key, slot, 'question', call), answers.length)",
    "withRound(waitId(key, slot, 'question', call), 0)",
  ),
  mutant(
    'answers: those of earlier rounds are forgotten for queued calls',
    'shared/agent/step/batch/waits.ts',
    '...answersOf(calls),',
    '',
  ),
  mutant(
    'answers: a call that has timed out gets a token',
    'shared/agent/tools/execute.ts',
    '{ ...on, signal }, beyond),',
    'on, beyond),',
  ),
  mutant(
    'answers: a queued call runs again although it has a result',
    'shared/agent/entrypoints/call.ts',
    'const kept = again && (await isKept(message, io));',
    'const kept = false;',
  ),
  mutant(
    'answers: not looked up before a call runs again',
    'shared/agent/tools/execute.ts',
    '(beyond.tokens.length === 0 && !on.again)',
    'beyond.tokens.length === 0',
  ),
  mutant(
    'answers: a worker that cannot settle a call leaves the others unattended',
    'shared/agent/step/batch/run-calls.ts',
    '    await Promise.allSettled(runs);\n',
    '',
  ),
  mutant(
    'answers: a takeover reports no result again',
    'shared/agent/step/batch/run-calls.ts',
    '!isRetry && session.batch?.told',
    'session.batch?.told',
  ),
];
