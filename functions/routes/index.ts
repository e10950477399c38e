import type { Agent } from '../../shared/agent/define/agent.ts';
import { httpRoutes } from '../../shared/contract/routes.ts';
import { json } from '../middleware/request.ts';

/** `GET /`: a summary of the deployment. It is public, so it names only the agents and the routes. */
export const index = (agents: readonly Agent[]) =>
  json(200, {
    name: 'steploop',
    agents: agents.map(({ name, version }) => ({ name, version })),
    routes: httpRoutes,
  });

/** `GET /openapi.json`: what each route takes and answers. It is public, and no cold start loads it. */
export const description = async () =>
  json(200, (await import('../../shared/contract/openapi.json', { with: { type: 'json' } })).default);
