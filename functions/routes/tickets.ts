import { json } from '../middleware/request.ts';
import type { Route } from './context.ts';

/**
 * `POST /tickets`: a ticket that opens one WebSocket connection in the caller's name, within a minute. Tickets exist because URLs
 * get logged, and tokens must not be in them.
 */
export const issueTicket: Route = async (_event, caller, { tickets }) =>
  json(201, await tickets.issue(caller));
