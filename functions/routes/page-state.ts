import { json } from '../middleware/request.ts';
import { sharesState } from './agui-state.ts';
import { committedState } from './committed-state.ts';
import { noSuchSession, type Route, sessionKeyOf } from './context.ts';

/** `GET /sessions/{sessionId}/state`: the state that the session's pages and its model share; `null` if there is none. */
export const readState: Route = async (event, caller, { io, agents }) => {
  const view = await io.sessions.read(sessionKeyOf(event, caller));
  if (!view) throw noSuchSession();
  const state = sharesState(view.session.agent, agents) ? await committedState(view, io) : undefined;
  return json(200, { state: state ?? null });
};
