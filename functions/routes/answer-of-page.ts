import { MAX_BODY_BYTES } from '../../shared/contract/http.ts';
import { PageAnswerBody } from '../../shared/contract/page-input.ts';
import { Refusal } from '../middleware/problem.ts';
import { json, jsonBody } from '../middleware/request.ts';
import { noSuchSession, type Route, sessionKeyOf } from './context.ts';
import { answerAll } from './page-answers.ts';

/**
 * `POST /sessions/{sessionId}/answers`: a page's answer to a call of its tool. It counts once: an equal one gets the same response,
 * and one to a call that does not wait for it gets 409.
 */
export const postPageAnswer: Route = async (event, caller, context) => {
  const { toolCallId, ...answer } = jsonBody(event, PageAnswerBody, MAX_BODY_BYTES);
  const key = sessionKeyOf(event, caller);
  if (!(await context.io.sessions.read(key))) throw noSuchSession();
  const { late } = await answerAll(key, [{ toolCallId, answer }], caller, 'http', context);
  const [over] = late;
  if (over) throw new Refusal(409, 'Not waited for', { detail: over.detail });
  return json(202, { toolCallId, result: 'answered' });
};
