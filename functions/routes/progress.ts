import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { type TellPorts, tellOfCall } from '../../shared/agent/entrypoints/tell.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import { MAX_PROGRESS_BYTES, ProgressBody } from '../../shared/contract/http.ts';
import { Refusal } from '../middleware/problem.ts';
import { json, jsonBody } from '../middleware/request.ts';
import { refusalOf } from './answers.ts';

/**
 * `POST /callbacks/{token}/progress`: reports the progress of a call that is answered later to the session's subscribers. The
 * token is the only credential, as for the answer, and remains valid for it.
 */
export async function postProgress(
  event: APIGatewayProxyEventV2,
  io: TellPorts,
): Promise<APIGatewayProxyStructuredResultV2> {
  const { message, share } = jsonBody(event, ProgressBody, MAX_PROGRESS_BYTES);
  const progress = { message, ...defined({ share }) };
  const became = await tellOfCall(event.pathParameters?.token ?? '', progress, io);
  switch (became) {
    case 'told':
      return json(202, { result: 'told' });
    case 'too_soon':
      throw new Refusal(
        429,
        'Too often',
        {
          detail:
            'The progress of a call is reported at most once a second. Skip this report, and send the next one later.',
        },
        { 'retry-after': '1' },
      );
    case 'too_many':
      throw new Refusal(429, 'Too many', {
        detail: 'This URL has reached its limit of progress reports. The answer is still accepted.',
      });
    default:
      throw refusalOf(became);
  }
}
