import type { AnswerSchema } from '../../define/answer.ts';
import { readOnce } from '../../plain/read-once.ts';
import type { Pinned } from '../../session/pinned.ts';
import type { Answers } from './answers.ts';

/** Reads what holds answers to a schema, once in a process: only for agents that declare one. */
export const readAnswering = readOnce(() => import('./answers.ts'));

/** What reads the answers of a session; undefined where they are text. */
export async function answersOf(
  { answer, guardrails }: Pick<Pinned, 'answer' | 'guardrails'>,
  deployed: { readonly answer?: AnswerSchema } | undefined,
): Promise<Answers | undefined> {
  return answer && (await readAnswering()).openAnswers(answer, guardrails, deployed?.answer);
}
