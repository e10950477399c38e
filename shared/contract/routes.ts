/**
 * The routes of the two APIs, and of the function URL: `infra/` creates exactly these, and the functions serve exactly
 * these.
 *
 * An HTTP route is `METHOD /path` in API Gateway's notation, and arrives in a handler as `event.routeKey`. API Gateway
 * refuses a request that matches none, without invoking a function.
 */

/**
 * Served by `functions/http.ts`. All routes authenticate their caller (`authorize`), except the index, the description
 * of the API, and answers to calls, whose token identifies the call.
 */
export const httpRoutes = [
  'GET /',
  'GET /openapi.json',
  'POST /sessions',
  'POST /sessions/import',
  'GET /sessions',
  'GET /sessions/{sessionId}',
  'PATCH /sessions/{sessionId}',
  'DELETE /sessions/{sessionId}',
  'POST /sessions/{sessionId}/messages',
  'GET /sessions/{sessionId}/messages',
  'GET /sessions/{sessionId}/export',
  'GET /sessions/{sessionId}/attachments/{hash}',
  'GET /sessions/{sessionId}/events',
  'GET /sessions/{sessionId}/steps',
  'GET /sessions/{sessionId}/steps/{slot}',
  'GET /sessions/{sessionId}/steps/{slot}/request',
  'GET /sessions/{sessionId}/guards',
  'GET /sessions/{sessionId}/waits/{waitId}',
  'GET /sessions/{sessionId}/state',
  'GET /sessions/{sessionId}/files',
  'POST /sessions/{sessionId}/restore',
  'POST /sessions/{sessionId}/decisions',
  'POST /sessions/{sessionId}/answers',
  'DELETE /sessions/{sessionId}/grants/{grantId}',
  'POST /sessions/{sessionId}/cancel',
  'POST /sessions/{sessionId}/wrap-up',
  'POST /sessions/{sessionId}/retry',
  'POST /sessions/{sessionId}/callback/try',
  'POST /sessions/{sessionId}/edit',
  'POST /sessions/{sessionId}/fork',
  'GET /sessions/{sessionId}/forks',
  'GET /sessions/{sessionId}/feedback',
  'GET /memories',
  'DELETE /memories',
  'DELETE /memories/{memoryId}',
  'POST /schedules',
  'GET /schedules',
  'GET /schedules/{scheduleId}',
  'DELETE /schedules/{scheduleId}',
  'POST /schedules/{scheduleId}/pause',
  'POST /schedules/{scheduleId}/resume',
  'POST /schedules/{scheduleId}/run',
  'GET /schedules/{scheduleId}/history',
  'DELETE /people/{user}',
  'GET /people/{user}',
  'GET /tenants/{tenant}/key',
  'DELETE /tenants/{tenant}/key',
  'GET /callbacks/secrets',
  'POST /callbacks/{token}',
  'POST /callbacks/{token}/progress',
  'GET /hooks/dead',
  'POST /hooks/dead/redrive',
  'GET /hooks/dead/{deliveryId}',
  'POST /hooks/dead/{deliveryId}/redrive',
  'GET /budgets',
  'PUT /budgets',
  'GET /history',
  'POST /uploads',
  'POST /tickets',
  'POST /keys',
  'GET /keys',
  'POST /keys/{keyId}/revoke',
  'POST /mcp',
  'GET /mcp',
  'DELETE /mcp',
  'GET /a2a/{agent}/.well-known/agent-card.json',
  'POST /a2a/{agent}',
] as const;

/** Served by `functions/hooks.ts`: events of third parties, signed by them. */
export const hookRoutes = ['POST /hooks/{source}', 'GET /hooks/{source}'] as const;

/** Served by `functions/slack.ts`: the Slack app. Slack signs its requests. */
export const slackRoutes = [
  'POST /slack/events',
  'POST /slack/interactions',
  'POST /slack/commands',
  'GET /slack/install',
  'GET /slack/oauth/callback',
] as const;

/**
 * Served by `functions/console.ts`: the operator's page, which is open to everyone, and shows nothing before its user
 * has signed in.
 */
export const consoleRoutes = ['GET /console', 'GET /console/{path+}'] as const;

/**
 * Served by `functions/agui.ts` at a function URL, which has no routes: the agent's name, `connect`, or both may follow
 * in the path. It authenticates its caller (`authorize`).
 */
export const aguiRoutes = ['POST /agui'] as const;

/** Served by the same function, at the same address: below `/chat` an agent's name may come first. */
export const chatRoutes = [
  'POST /chat',
  'GET /chat/{chatId}/stream',
  'POST /chat/{chatId}/stream',
  'POST /chat/{chatId}/stop',
  'GET /chat/{chatId}/messages',
  'GET /chat/{chatId}/waits',
] as const;

/** A header of requests that CloudFront passes on: a secret of the deployment. */
export const edgeHeader = 'x-steploop-edge';
/** In place of `Authorization`, where AWS's own signature takes that header. */
export const authorizationHeader = 'x-steploop-authorization';

/** Served by `functions/socket.ts`: the life of one WebSocket connection. */
export const socketRoutes = ['$connect', '$disconnect', '$default'] as const;

/** Name of the WebSocket stage, the last part of its URL. */
export const socketStage = 'live';

/** Served by `functions/channels.ts`. A delivery proves who sent it, and the token of a link names its ask. */
export const askRoutes = ['GET /asks/{token}', 'POST /asks/{token}'] as const;
export const channelRoutes = ['POST /channels/{channel}'] as const;

export type ChannelsRoute = (typeof askRoutes)[number] | (typeof channelRoutes)[number];
export type SlackRoute = (typeof slackRoutes)[number];
export type HttpRoute = (typeof httpRoutes)[number];
export type SocketRoute = (typeof socketRoutes)[number];
