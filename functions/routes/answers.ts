import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { type AnswerPorts, type AnswerResult, answerCall } from '../../shared/agent/entrypoints/answer.ts';
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
  const answer = jsonBody(event, AnswerBody, MAX_ANSWER_BYTES);
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
