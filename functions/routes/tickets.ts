import { json } from '../middleware/request.ts';
import type { Route } from './context.ts';

/**
 * `POST /tickets`: a ticket that opens one WebSocket connection, as its caller, within a minute. URLs get logged;
 * tokens must not be in them.
 */
export const issueTicket: Route = async (_event, caller, { tickets }) =>
  json(201, await tickets.issue(caller));
