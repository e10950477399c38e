import { json } from '../middleware/request.ts';
import { noSuchSession, type Route, sessionKeyOf } from './context.ts';

/** `GET /sessions/{sessionId}/feedback`: people's ratings of the session's answers. */
export const listFeedback: Route = async (event, caller, { io, feedback }) => {
  const key = sessionKeyOf(event, caller);
  if (!(await io.sessions.read(key))) throw noSuchSession();
  const all = await feedback.all(key);
  return json(200, {
    feedback: all.map(({ runId, rating, by, at }) => ({ runId, rating, by, at: new Date(at).toISOString() })),
  });
};
