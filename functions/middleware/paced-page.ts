import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Identity } from '../../shared/contract/identity.ts';
import { unitsOfBytes } from './byte-units.ts';
import type { Pace } from './pace.ts';
import type { Answer } from './stream-response.ts';

/** Units of a stream, in addition to its request. Like a new connection it is written, and stays. */
const STREAM = 4;
/** `POST /chat/{chatId}/stop`, also below an agent's name. `POST /chat/stop` is a message to an agent of that name. */
const stop = /^\/chat\/(?:[^/]+\/){1,2}stop\/*$/;

type Asked = Pick<APIGatewayProxyEventV2, 'rawPath' | 'body' | 'requestContext'>;

/**
 * Serves a request over AG-UI or the chat within its tenant's limit of requests; beyond it, refuses with 429 and Retry-After.
 * Stopping a run is always allowed, because it is what ends a flood.
 */
export async function pacedPage(
  { rawPath, body = '', requestContext }: Asked,
  { tenant }: Pick<Identity, 'tenant'>,
  pace: Pace,
  serve: () => Promise<Answer>,
): Promise<Answer> {
  const asked = { tenant, at: requestContext.timeEpoch, units: 1 + unitsOfBytes(body.length) };
  const isStop = requestContext.http.method === 'POST' && stop.test(rawPath);
  if (!isStop) await pace.admit(asked);
  const answer = await serve();
  pace.spent(asked, answer.kind === 'stream' ? STREAM : unitsOfBytes(answer.response.body?.length ?? 0));
  return answer;
}
