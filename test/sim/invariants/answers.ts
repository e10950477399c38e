/**
 * Invariant 32: a call that is answered from outside has one answer, its own, and each sender learns what became of its
 * answer.
 */

import type { Checks } from '../ledger.ts';
import type { Handed } from '../outside.ts';

/** A call with news: a sender was told what became of an answer, or its result is committed. */
export interface Answered {
  readonly callId: string;
  readonly handed: Handed;
}

export const answerChecks: Checks<Answered> = {
  '32 one answer counts': ({ callId, handed }) => {
    const counted = [...handed.told].filter(([, told]) => told.some(counts)).map(([text]) => text);
    return counted.length > 1 ? `${callId} has ${counted.join(' and ')}` : undefined;
  },

  '32 an answer counts only for its own call': ({ callId, handed: { sent, result } }) => {
    const answer = result && /^answer a\d+ to (\S+)$/.exec(result.content);
    if (!answer) return undefined;
    return answer[1] !== callId || !sent.has(result.content) ? wrongly(result.content, callId) : undefined;
  },

  '32 the answer that counts is the result': ({ callId, handed: { told, result } }) => {
    const [counted] = [...told].find(([, all]) => all.some(counts)) ?? [];
    return result && counted !== undefined && result.content !== counted
      ? `${callId}: "${counted}" was told that it counts, and its result is ${result.outcome} "${result.content}"`
      : undefined;
  },

  // A copy that is still on its way may be the one that counts, even if another copy was told that it is too late:
  // clocks differ.
  '32 an answer that does not count is told so': ({
    callId,
    handed: { told, underWay, unheard, result },
  }) => {
    const last = result && told.get(result.content)?.at(-1);
    return last && !counts(last) && !underWay.get(result.content) && !unheard.has(result.content)
      ? `${callId}: "${result?.content}" is its result, and was told ${last}`
      : undefined;
  },
};

/** A call that runs with people's answers. */
export interface Heard {
  readonly callId: string;
  readonly answers: readonly string[];
  /** The decisions on its questions, in that order. */
  readonly heard: readonly string[];
}

export const roundChecks: Checks<Heard> = {
  '32 a call gets people’s answers in order': ({ callId, answers, heard }) =>
    answers.join() === heard.slice(0, answers.length).join()
      ? undefined
      : `${callId} hears ${answers.join()}, and was answered ${heard.join()}`,
};

/** Whether the sender of an answer was told that it counts. */
export const counts = (told: string): boolean => told === 'taken' || told === 'taken_before';

const wrongly = (content: string, callId: string): string => `"${content}" is the result of ${callId}`;
