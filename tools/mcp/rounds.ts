import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { ToolContext } from '../../shared/agent/define/index.ts';
import { type Answered, answerTo, type Question } from './questions.ts';

/** What a server of 2026-07-28 wants before it goes on with a call. */
const Round = z.object({ requests: z.record(z.string(), z.unknown()), state: z.string().optional() });
export type Round = z.infer<typeof Round>;

/** What is kept of a call while a person is asked. */
const Kept = z.object({ asked: z.array(z.string()), round: Round.optional() });

/** Who asks a person in the midst of a call. */
type Asker = Pick<ToolContext<string, string>, 'idempotencyKey' | 'services' | 'answers' | 'ask'>;

/** What has been asked and answered in one call, over all the times that it has begun. */
export interface Rounds {
  /** Where the server waits to go on, if it is one that does. */
  readonly round: Round | undefined;
  /** What a person has said to a question; undefined when nobody has been asked yet. */
  answerTo(question: Question): Answered | undefined;
  /** Asks a person: the call begins again when they have answered. */
  ask(question: Question, words: string, round: Round | undefined): Promise<ReturnType<Asker['ask']>>;
}

/**
 * Reads what was asked when the call began before. An answer is for the question that it was given to, in all its words: a server that asks
 * something else when it is called again has it asked anew.
 */
export async function roundsOf({ idempotencyKey, answers, services, ask }: Asker): Promise<Rounds> {
  const name = `mcp-${digest(idempotencyKey)}`;
  // What an attempt that died had asked, nobody has answered.
  const kept = answers.length === 0 ? { asked: [] } : read(await services.blobs.get(name), answers.length);
  const asked = kept.asked.slice(0, answers.length);
  return {
    round: kept.round,
    answerTo(question) {
      const at = asked.lastIndexOf(idOf(question));
      const answer = at < 0 ? undefined : answers[at];
      return answer === undefined ? undefined : answerTo(question, answer);
    },
    async ask(question, words, round) {
      await services.blobs.put(name, JSON.stringify({ asked: [...asked, idOf(question)], round }));
      return ask(words);
    },
  };
}

function read(text: string | undefined, answers: number): z.infer<typeof Kept> {
  const kept = Kept.safeParse(text === undefined ? undefined : JSON.parse(text));
  if (!kept.success || kept.data.asked.length < answers)
    throw new Error('what the server had asked is not known any more; the call must be made anew');
  return kept.data;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
const idOf = (question: Question): string => digest(JSON.stringify(question));
