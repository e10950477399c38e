import { accept, openSession } from '../../shared/agent/accept.ts';
import { type Agent, defineAgent } from '../../shared/agent/define.ts';
import type { SessionView } from '../../shared/agent/ports.ts';
import type { Slot } from '../../shared/agent/slots.ts';
import { runStep } from '../../shared/agent/step.ts';
import type { AgUiEvent } from '../../shared/contract/events.ts';
import { type MemoryWorld, memoryWorld } from './memory-world.ts';
import { type ScriptedModel, scriptedModel } from './scripted-model.ts';

type AgentInput = Parameters<typeof defineAgent>[0];

/** One session of one agent on the memory ports, driven message by message. */
export interface SessionWorld extends MemoryWorld {
  readonly model: ScriptedModel;
  readonly key: { tenant: string; sessionId: string };
  readonly agent: Agent;
  /** Sends a user message: `say('hi')`. */
  say(text: string, eventId?: string): Promise<void>;
  /** Receives one message and runs its step. Returns what became of it, or undefined when none is visible. */
  step(options?: { deadlineMs?: number; abandon?: boolean }): Promise<'ack' | 'retry' | undefined>;
  /** Steps, moving the clock to the next delayed message, until nothing is left. Returns the number of steps. */
  settle(most?: number): Promise<number>;
  view(): Promise<SessionView>;
  slots(): Promise<Slot[]>;
  /** Every event that a client which connects at the end would be told, in order. */
  events(): Promise<AgUiEvent[]>;
}

export async function sessionWorld(
  definition: Partial<AgentInput> = {},
  model: ScriptedModel = scriptedModel(),
  wrap: (world: MemoryWorld) => MemoryWorld = (world) => world,
): Promise<SessionWorld> {
  const agent = defineAgent({
    name: 'test',
    version: '1',
    model: { name: 'test-model' },
    system: 'Test.',
    ...definition,
  });
  const world = wrap(memoryWorld({ provider: model, settings: {}, secrets: {} }));
  const key = { tenant: 'acme', sessionId: 's1' };
  const agentOf = (name: string) => (name === agent.name ? agent : undefined);
  let count = 0;

  const session: SessionWorld = {
    ...world,
    model,
    key,
    agent,
    async say(text, eventId = `event${++count}`) {
      await openSession(key, agent, () => undefined, world);
      await accept(key, { eventId, text }, world);
    },
    async step({ deadlineMs = 300_000, abandon = false } = {}) {
      const delivery = world.queue.receive();
      if (!delivery) return undefined;
      const deadlineAt = world.clock.now() + deadlineMs;
      const invocation = { id: world.ids.next(), message: delivery.handle, deadlineAt };
      let settled: 'ack' | 'retry' | undefined;
      let failure: { error: unknown } | undefined;
      runStep(delivery.wake, invocation, { agentOf, leaseMs: 60_000, abandon }, world).then(
        (settlement) => {
          settled = settlement;
        },
        (error: unknown) => {
          failure = { error };
        },
      );
      while (!settled && !failure) await world.clock.advance(100);
      if (failure) throw failure.error;
      if (settled === 'ack') world.queue.delete(delivery.handle);
      return settled;
    },
    async settle(most = 200) {
      for (let steps = 0; steps < most; ) {
        if (await session.step()) steps += 1;
        else {
          const next = world.queue.nextVisibleAt();
          if (next === undefined) return steps;
          await world.clock.advance(next - world.clock.now());
        }
      }
      throw new Error(`not at rest after ${most} steps`);
    },
    async view() {
      const view = await world.sessions.read(key);
      if (!view) throw new Error('no such session');
      return view;
    },
    async slots() {
      const { session: committed } = await session.view();
      const stored = await world.sessions.slots(key, 0);
      return stored.map(({ slot }) => slot).filter(({ n }) => n < committed.version);
    },
    async events() {
      const { tail, session: committed } = await session.view();
      const logged = await world.log.read(key, 0, 100_000);
      const frames = [...logged, ...tail.filter(({ seq }) => !logged.some((frame) => frame.seq === seq))];
      return frames.filter(({ seq }) => seq <= committed.eventSeq).map(({ event }) => event);
    },
  };
  return session;
}
