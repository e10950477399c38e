import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { MAX_BODY_BYTES } from '../../shared/contract/http.ts';
import { doorOf } from '../doors/a2a/door.ts';
import { runsOf } from '../doors/a2a/runs.ts';
import { apiOf } from '../doors/api.ts';
import { json, originOf, rawBody } from '../middleware/request.ts';
import { agentNamed } from './arrivals.ts';
import type { Route, RouteContext } from './context.ts';

/** `GET /a2a/{agent}/.well-known/agent-card.json`. It is public, so it says no more than the index does. */
export async function agentCard(event: APIGatewayProxyEventV2, context: Pick<RouteContext, 'agents'>) {
  const { cardJson } = await import('../doors/a2a-sdk.ts');
  return json(200, cardJson(cardOf(event, context)));
}

/** `POST /a2a/{agent}`: an agent over A2A. A session is a context, and a run is a task. */
export const serveA2a: Route = async (event, caller, context) => {
  const of = cardOf(event, context);
  const { answerJsonRpc } = await import('../doors/a2a-sdk.ts');
  const api = apiOf(event, caller, context);
  const runs = runsOf(of.name, caller.tenant, api, context);
  const door = doorOf(of.name, caller.subject, api, runs, context);
  const body = rawBody(event, MAX_BODY_BYTES);
  const answer = await answerJsonRpc(body, event.headers['a2a-version'], door, of);
  const failure = api.failure();
  // A failed service and a limit have their status, so that the client tries again.
  if (failure !== undefined) throw failure;
  return json(200, answer);
};

function cardOf(event: APIGatewayProxyEventV2, context: Pick<RouteContext, 'agents'>) {
  const { name, version } = agentNamed(event.pathParameters?.agent ?? '', context);
  return {
    ...{ name, version: String(version) },
    description: `The agent ${name}.`,
    url: `${originOf(event)}/a2a/${name}`,
  };
}
