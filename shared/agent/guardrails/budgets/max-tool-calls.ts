import { builtIn } from '../guard-codes.ts';

/** Allows `maxToolCalls` calls in a run. The next one ends it, and nothing of its batch runs. 0 = off. */
export const maxToolCallsGuard = (maxToolCalls: number) =>
  builtIn<'max_tool_calls', { calls: number }>({
    name: 'max_tool_calls',
    scope: 'run',
    initial: { calls: 0 },
    hooks: {
      call: ({ calls }, { call }) =>
        maxToolCalls > 0 && calls >= maxToolCalls
          ? {
              verdict: {
                kind: 'halt',
                state: 'max_steps',
                reason: 'max_tool_calls',
                code: 'max_tool_calls',
                message: `The limit of ${maxToolCalls} tool calls in a run is reached.`,
                metadata: { tool: call.name, count: calls, limits: { maxToolCalls } },
              },
            }
          : { state: { calls: calls + 1 } },
    },
  });
