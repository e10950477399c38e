import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import {
  type AnswerPorts,
  type AnswerResult,
  answerCall,
  type LateAnswer,
} from '../../shared/agent/entrypoints/answer.ts';
import { isTooDeep, MAX_DEPTH } from '../../shared/agent/plain/depth.ts';
import { AnswerBody, MAX_ANSWER_BYTES } from '../../shared/contract/http.ts';
import { Refusal } from '../middleware/problem.ts';
import { json, jsonBody } from '../middleware/request.ts';

/**
 * `POST /callbacks/{token}`: the result of a call that is answered later. The token in the path is the only credential: it works
 * for this one call, once, until it expires. Unknown tokens and used-up ones get the same answer.
 */
export async function postAnswer(
  event: APIGatewayProxyEventV2,
  io: AnswerPorts,
): Promise<APIGatewayProxyStructuredResultV2> {
  const task = event.queryStringParameters?.a2a;
  const answer =
    task === undefined ? jsonBody(event, AnswerBody, MAX_ANSWER_BYTES) : await pushed(event, task);
  if (!answer) return json(202, { result: 'told' });
  if (isTooDeep(answer)) {
    const detail = `The answer is nested more than ${MAX_DEPTH} levels deep: flatten it, or send it as a text.`;
    throw new Refusal(400, 'Invalid body', { detail });
  }
  const became = await answerCall(event.pathParameters?.token ?? '', answer, io);
  switch (became) {
    case 'taken':
      return json(202, { result: 'taken' });
    case 'taken_before':
      return json(200, { result: 'taken_before' });
    default:
      throw refusalOf(became);
  }
}

/** The answer in a notification of an A2A server, whose URL names the task (docs/remote-agents.md). */
async function pushed(event: APIGatewayProxyEventV2, task: string): Promise<LateAnswer | undefined> {
  const { MAX_PUSH_BYTES, PushBody, pushedAnswer } = await import('./a2a-push.ts');
  return pushedAnswer(jsonBody(event, PushBody, MAX_PUSH_BYTES), task);
}

/** The refusal for a token that does not work, or no longer works. */
export function refusalOf(became: Exclude<AnswerResult, 'taken' | 'taken_before'>): Refusal {
  switch (became) {
    case 'answered':
      return tooLate('The call already has a different answer, which stands.');
    case 'expired':
      return tooLate('The time for an answer is over. The call has ended without one.');
    case 'over':
      return tooLate(
        'The call no longer waits for an answer: its run was stopped, or the call has ended in another way.',
      );
    case 'unknown':
      return new Refusal(404, 'No such callback', {
        detail: 'Check the URL. It is valid for one call, and unknown a week after it has expired.',
      });
    default:
      return became satisfies never;
  }
}

const tooLate = (detail: string): Refusal => new Refusal(410, 'Too late', { detail });
