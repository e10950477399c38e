import { Refusal } from '../middleware/problem.ts';
import { json } from '../middleware/request.ts';
import { revokeAs } from '../middleware/revoke.ts';
import { noSuchSession, type Route, sessionKeyOf } from './context.ts';

/** `DELETE /sessions/{sessionId}/grants/{grantId}`: revokes a grant. */
export const revokeGrant: Route = async (event, caller, context) => {
  const id = event.pathParameters?.grantId ?? '';
  const done = await revokeAs(caller, sessionKeyOf(event, caller), id, context);
  switch (done.kind) {
    case 'revoked':
      return json(200, { id, revoked: true });
    case 'forbidden':
      throw new Refusal(403, 'You may not decide this', { detail: done.why });
    case 'over':
      throw new Refusal(404, 'No such grant', {
        detail: 'It is used up, expired or revoked. GET /sessions/{sessionId} lists the valid ones.',
      });
    case 'unknown':
      throw noSuchSession();
    default:
      return done satisfies never;
  }
};
