import type { ToolContext } from '../../../shared/agent/define/index.ts';
import { servicesFor } from '../../../shared/agent/tools/services.ts';
import type { Internet } from '../../../shared/memory/egress.ts';
import { memoryWorld } from '../../../testing/memory-world.ts';
import { type RemoteAgentOptions, remoteAgent } from '../../../tools/a2a/index.ts';
import { ADDRESS } from './agent.ts';

/** A remote agent as the core calls it, in one session. */
export function caller(
  internet: Internet,
  {
    secrets = {},
    ...options
  }: Partial<RemoteAgentOptions> & { readonly secrets?: Readonly<Record<string, string>> } = {},
) {
  const world = memoryWorld({ internet, settings: {}, secrets: {} });
  const tool = remoteAgent({ name: 'travel', when: 'Plan a journey.', url: ADDRESS, ...options });
  return {
    tool,
    world,
    /** Makes a call, as often as with the same `key` for the same call. Returns its result, or the question that it asks people. */
    call(
      input: { readonly message?: string; readonly task?: string },
      {
        key = 'k1',
        sessionId = 's1',
        answers = [],
        signal = new AbortController().signal,
      }: { key?: string; sessionId?: string; answers?: readonly string[]; signal?: AbortSignal } = {},
    ): Promise<unknown> {
      const of = { tenant: 'acme', sessionId, idempotencyKey: key, requesters: [] };
      const context = {
        ...{ ...of, answers, signal, now: () => world.clock.now() },
        ask: (question: string) => ({ question }),
        secret: async (name: string) => secrets[name] ?? `value-of-${name}`,
        services: servicesFor(of, world, signal),
      };
      return Promise.resolve(tool.run(input, context as unknown as ToolContext<string, string> as never));
    },
  };
}
