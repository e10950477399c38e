import * as contract from '../../shared/contract/routes.ts';

/** All HTTP routes of all lists in the contract. */
export const httpRoutes = Object.values(contract)
  .flatMap((list): readonly string[] => (Array.isArray(list) ? list : []))
  .filter((route) => /^[A-Z]+ \//.test(route));

/** Bodies with which a route answers its own tenant with 2xx, if it takes one. */
export const bodies: Record<string, unknown> = {
  'POST /sessions': { agent: 'worker', message: 'hello' },
  'POST /sessions/import': {
    agent: 'worker',
    history: { format: 'openai', messages: [{ role: 'user', content: 'hello' }] },
  },
  'PATCH /sessions/{sessionId}': { title: 'Walked' },
  'POST /sessions/{sessionId}/messages': { message: 'hi' },
  'POST /sessions/{sessionId}/decisions': { id: 'w1', approved: true },
  'POST /sessions/{sessionId}/answers': { toolCallId: 'c1', result: 'done' },
  'POST /sessions/{sessionId}/restore': { slot: 0 },
  'POST /sessions/{sessionId}/edit': { messageId: 'user-e1', message: 'hi' },
  'POST /callbacks/{token}': { result: 1 },
  'POST /callbacks/{token}/progress': { message: 'half' },
  'POST /keys': { name: 'walk' },
  'POST /schedules': { name: 'Walk', agent: 'worker', when: { every: '1d' }, message: 'hello' },
  'PUT /budgets': { stepsPerDay: 1_000_000 },
  'POST /mcp': { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  'POST /a2a/{agent}': { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: 'nobody-0' } },
};

/** Queries that a route requires. */
export const queries: Record<string, string> = { 'GET /sessions/{sessionId}/export': '?format=openai' };
