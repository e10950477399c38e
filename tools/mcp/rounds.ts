import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { ToolContext } from '../../shared/agent/define/index.ts';
import { type Answered, answerTo, type Question } from './questions.ts';

/** A request that a server of 2026-07-28 makes before it continues a call. */
const Round = z.object({ requests: z.record(z.string(), z.unknown()), state: z.string().optional() });
export type Round = z.infer<typeof Round>;

/** The state of a call that is stored while a person is asked. */
const Kept = z.object({ asked: z.array(z.string()), round: Round.optional() });

/** The parts of a tool's context that ask a person during a call. */
type Asker = Pick<ToolContext<string, string>, 'idempotencyKey' | 'services' | 'answers' | 'ask'>;

/** The questions and answers of one call, over all its starts. */
export interface Rounds {
  /** The request that the server waits on, if it is a server that waits. */
  readonly round: Round | undefined;
  /** A person's answer to a question; undefined if the question has not been asked yet. */
  answerTo(question: Question): Answered | undefined;
  /** Asks a person: the call starts again with the answer. */
  ask(question: Question, words: string, round: Round | undefined): Promise<ReturnType<Asker['ask']>>;
}

/**
 * Reads the questions of the call's earlier starts. An answer belongs to the exact question that it was given to: if
 * the server asks something else when it is called again, the new question is asked.
 */
export async function roundsOf({ idempotencyKey, answers, services, ask }: Asker): Promise<Rounds> {
  const name = `mcp-${digest(idempotencyKey)}`;
  // A question of an attempt that died has no answer.
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
    throw new Error('the record of what the server asked is lost; make the call again');
  return kept.data;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
const idOf = (question: Question): string => digest(JSON.stringify(question));
