import type { AgentDefinition } from '../../../shared/agent/define/agent.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { accept, openSession } from '../../../shared/agent/entrypoints/accept.ts';
import { decide } from '../../../shared/agent/entrypoints/decide.ts';
import { catchUp } from '../../../shared/agent/events/catch-up.ts';
import { toSnapshot } from '../../../shared/agent/events/snapshot.ts';
import type { Slot } from '../../../shared/agent/session/slots.ts';
import type { Wait } from '../../../shared/agent/session/waits.ts';
import { runStep } from '../../../shared/agent/step/run-step.ts';
import { ids } from '../../../shared/aws/ports.ts';
import type { AgUiEvent } from '../../../shared/contract/events.ts';
import type { Internet } from '../../../shared/memory/egress.ts';
import { memoryPorts } from '../../../shared/memory/ports.ts';
import { modelProvider } from '../../../shared/models/models.ts';
import { wallClock } from '../../../shared/wall-clock.ts';
import { KEY } from '../../support/model-call.ts';
import { message, text, toolUse } from '../../support/model-events.ts';
import { modelServer, reply, type Step } from '../../support/model-server.ts';
import { completion, calls as openaiCalls, says as openaiSays } from '../../support/openai-events.ts';

/** A call as the model writes it: the tool, and the JSON of its arguments. */
export type Written = readonly [name: string, json: string];
export type Api = 'anthropic' | 'openai';

interface Conversation {
  readonly definition: Partial<AgentDefinition>;
  /** One reply each; the conversation ends with a text. */
  readonly asks: readonly Written[];
  readonly api?: Api;
  readonly internet?: Internet;
}

/** A conversation of one message with a model server over HTTP. People approve every request. */
export async function converse({ definition, asks, api = 'anthropic', internet }: Conversation) {
  const steps = [...asks.map((asked, n) => asking(api, asked, n)), saying(api)];
  await using server = await modelServer(...steps);
  const model = api === 'openai' ? { provider: 'openai', name: 'gpt-test-1' } : { name: 'claude-test-1' };
  const agent = defineAgent({ name: 'test', version: '1', model, system: 'Test.', ...definition } as never);
  const provider = modelProvider({
    primary: { auth: 'bearer', key: async () => KEY, idleMs: 5_000, baseUrl: server.url },
  });
  const io = memoryPorts({ clock: wallClock, ids, provider, ...(internet && { internet }) });
  const key = { tenant: 'acme', sessionId: 's1' };
  await openSession(key, agent, async () => undefined, io);
  await accept(key, { eventId: 'e1', text: 'Go.' }, io);
  const asked: Wait[] = [];
  for (let delivery = io.queue.receive(); delivery; delivery = io.queue.receive()) {
    const invocation = { id: ids.next(), message: delivery.handle, deadlineAt: wallClock.now() + 300_000 };
    await runStep(delivery.wake, invocation, { agentOf: () => agent, leaseMs: 60_000 }, io);
    io.queue.delete(delivery.handle);
    for (const wait of (await io.sessions.read(key))?.session.batch?.waits ?? []) {
      if (asked.some(({ id }) => id === wait.id)) continue;
      asked.push(wait);
      await decide(key, wait.id, { approved: true, by: 'user:ann' }, io);
    }
  }
  const slots: Slot[] = (await io.sessions.slots(key, 0)).map(({ slot }) => slot);
  const events: AgUiEvent[] = ((await catchUp(key, 0, 100_000, io)) ?? []).map(({ event }) => event);
  return {
    ...{ asked, slots, events, messages: toSnapshot(slots) },
    /** Messages of the last request. */
    sent: JSON.stringify(server.requests.at(-1)?.body.messages),
    results: slots.flatMap((slot) => (slot.kind === 'tools' ? slot.results : [])),
  };
}

const asking = (api: Api, [name, json]: Written, n: number): Step =>
  reply(
    api === 'anthropic'
      ? message([toolUse(`call_${n}`, name, ...halves(json))], 'tool_use')
      : completion(openaiCalls(0, `call_${n}`, name, ...halves(json)), 'tool_calls'),
  );

const saying = (api: Api): Step =>
  reply(api === 'anthropic' ? message([text('Done.')]) : completion(openaiSays('Done.')));

const halves = (json: string): string[] => [json.slice(0, json.length >> 1), json.slice(json.length >> 1)];
