/** Mutants of calls that are answered later (`doors/answer.ts`, `step/batch/awaiting.ts`). */

import { type Mutant, mutant } from './mutant.ts';

const answer = 'shared/agent/doors/answer.ts';
const awaiting = 'shared/agent/step/batch/awaiting.ts';

export const answerMutants: readonly Mutant[] = [
  mutant(
    'answers: the last one stands',
    'shared/memory/later.ts',
    '      if (before) return { stands: before, first: false };\n',
    '',
  ),
  mutant('answers: who was faster is told that it is over', answer, ' || (await hasResult(grant, io))', ''),
  mutant(
    'answers: the end of its wait asks for none',
    awaiting,
    '(await io.later.settle(loaded.key, id, { result: why })).stands',
    '{ result: why, digest: undefined }',
  ),
  mutant(
    'answers: of a worker that died in the queue nobody looks for one',
    awaiting,
    '!has(callId)), ...begun];',
    '!has(callId))];',
  ),
  mutant(
    'answers: of a worker that died in its step nobody looks for one',
    'shared/agent/step/batch/run-tools.ts',
    'if (died.length === 0) return',
    'if (died.length >= 0) return',
  ),
  mutant(
    'answers: a queued call that has asked a person has given nothing out',
    'shared/agent/doors/call.ts',
    'const again = on.again || answers.length > 0;',
    'const { again } = on;',
  ),
  mutant(
    'answers: of what a run that ends does not start nobody looks for one',
    awaiting,
    "one.kind === 'settled' && before.calls[i]?.kind === 'run'",
    'false as boolean',
  ),
  mutant(
    'answers: who says no ends the wait for none',
    awaiting,
    'return left ? [settledAs(step, batch.slot, call, left)] : [];',
    'return left ? [Promise.resolve(left)] : [];',
  ),
  mutant(
    'answers: of several rounds a call hears the last',
    awaiting,
    '[...(batch.answers?.[callId] ?? []), decision.note',
    '[decision.note',
  ),
  mutant(
    'answers: each round is the one before',
    awaiting,
    "withRound(waitId(key, slot, 'question', call), answers.length)",
    "withRound(waitId(key, slot, 'question', call), 0)",
  ),
  mutant(
    'answers: what was heard is forgotten over what is in the queue',
    'shared/agent/step/batch/waits.ts',
    '...answersOf(calls),',
    '',
  ),
  mutant(
    'answers: a call that has taken too long is given a token',
    'shared/agent/tools/execute.ts',
    '{ ...on, signal }, beyond),',
    'on, beyond),',
  ),
  mutant(
    'answers: what another worker has kept since stands',
    'shared/agent/step/batch/close-batch.ts',
    '[...late.results, ...kept]',
    '[...kept, ...late.results]',
  ),
  mutant(
    'answers: a queued call runs again that has a result',
    'shared/agent/doors/call.ts',
    'const kept = again && (await isKept(message, io));',
    'const kept = false;',
  ),
  mutant(
    'answers: who runs a call again looks for none',
    'shared/agent/tools/execute.ts',
    '(beyond.tokens.length === 0 && !on.again)',
    'beyond.tokens.length === 0',
  ),
  mutant(
    'answers: who cannot settle a call leaves the others behind its back',
    'shared/agent/step/batch/run-calls.ts',
    '    await Promise.allSettled(runs);\n',
    '',
  ),
  mutant(
    'answers: who takes over tells no result again',
    'shared/agent/step/batch/run-calls.ts',
    '!isRetry && session.batch?.told',
    'session.batch?.told',
  ),
];
