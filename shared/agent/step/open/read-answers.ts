import type { AnswerSchema } from '../../define/answer.ts';
import { readOnce } from '../../plain/read-once.ts';
import type { Pinned } from '../../session/pinned.ts';
import type { Answers } from './answers.ts';

/** Loads the code that checks answers against a schema, only for agents that declare one. */
export const readAnswering = readOnce(() => import('./answers.ts'));

/** The reader of a session's answers; undefined if they are text. */
export async function answersOf(
  { answer, guardrails }: Pick<Pinned, 'answer' | 'guardrails'>,
  deployed: { readonly answer?: AnswerSchema } | undefined,
): Promise<Answers | undefined> {
  return answer && (await readAnswering()).openAnswers(answer, guardrails, deployed?.answer);
}
