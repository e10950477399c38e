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
    'answers: an expired wait asks for no answer',
    awaiting,
    '(await io.later.settle(loaded.key, id, { result: why })).stands',
    '{ result: why, digest: undefined }',
  ),
  mutant(
    'answers: not looked up for a worker that died in the queue',
    awaiting,
    '!has(callId)), ...begun];',
    '!has(callId))];',
  ),
  mutant(
    'answers: not looked up for a worker that died in its step',
    'shared/agent/step/batch/run-tools.ts',
    'if (died.length === 0) return',
    'if (died.length >= 0) return',
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
    "one.kind === 'settled' && before.calls[i]?.kind === 'run'",
    'false as boolean',
  ),
  mutant(
    'answers: a denial ends the wait for nothing',
    awaiting,
    'return left ? [settledAs(step, batch.slot, call, left)] : [];',
    'return left ? [Promise.resolve(left)] : [];',
  ),
  mutant(
    'answers: of several rounds a call gets only the last',
    awaiting,
    '[...(batch.answers?.[callId] ?? []), decision.note',
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
    'answers: the result that another worker has kept since stands',
    'shared/agent/step/batch/close-batch.ts',
    '[...late.results, ...kept]',
    '[...kept, ...late.results]',
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
