import type { Agent } from '../shared/agent/define/agent.ts';
import { type Accepted, accept, openSession } from '../shared/agent/entrypoints/accept.ts';
import { childrenOver } from '../shared/agent/entrypoints/children.ts';
import { catchUp } from '../shared/agent/events/catch-up.ts';
import { defined } from '../shared/agent/plain/defined.ts';
import type { SessionView } from '../shared/agent/ports/sessions.ts';
import type { CallerFacts } from '../shared/agent/session/caller.ts';
import type { PriceOf } from '../shared/agent/session/pinned.ts';
import type { SessionOptions } from '../shared/agent/session/session.ts';
import type { Slot } from '../shared/agent/session/slots.ts';
import type { StepOptions } from '../shared/agent/step/open/options.ts';
import { runStep } from '../shared/agent/step/run-step.ts';
import type { AgUiEvent } from '../shared/contract/events.ts';
import type { MemoryOptions } from '../shared/memory/ports.ts';
import { withShapes } from '../shared/models/shape/with-shapes.ts';
import { settle as settlePromises } from './clock.ts';
import { type Faults, faults, type Host, Unreachable } from './faults.ts';
import { type Files, keepFiles } from './files.ts';
import { type MemoryWorld, memoryWorld } from './memory-world.ts';
import type { ScriptedModel } from './scripted-model.ts';
import { teamOf } from './team.ts';

/** How a step ended: the fate of its message, or `stopped` if its host was frozen or killed. */
export type StepEnd = 'ack' | 'retry' | 'stopped';

export interface StepHow {
  /** Ms until the platform kills the step. */
  readonly deadlineMs?: number;
  readonly abandon?: boolean;
  /** Id of a visible message; the oldest if absent. */
  readonly messageId?: string;
}

/** A step in progress. */
export interface Running {
  readonly host: Host;
  /** Moves the clock until the step has ended or its host has stopped. Rejects with an error of the core itself. */
  finish(): Promise<StepEnd>;
}

/** One session of one agent on the memory ports, driven message by message. */
export interface AgentWorld extends MemoryWorld {
  readonly model: ScriptedModel;
  readonly faults: Faults;
  readonly key: { tenant: string; sessionId: string };
  agentOf(name: string): Agent | undefined;
  /** Deploys the agent again. */
  deploy(agent: Agent): void;
  /** Sends a user message: `say('hi')`. */
  say(text: string, eventId?: string, by?: string, caller?: CallerFacts): Promise<Accepted>;
  /** Receives a message and starts its step. Undefined when none is visible. */
  begin(how?: StepHow): Running | undefined;
  /** Receives a message and runs its step to its end. */
  step(how?: StepHow): Promise<StepEnd | undefined>;
  /** Runs steps, moving the clock to the next delayed message, until nothing is left. Returns the number of steps. */
  settle(most?: number): Promise<number>;
  /** Kills the host of the latest step, from within it. Never resolves. */
  kill(): Promise<never>;
  view(): Promise<SessionView>;
  slots(): Promise<Slot[]>;
  /** Every event that a client which connects at the end would receive, in order. */
  events(): Promise<AgUiEvent[]>;
}

/** Options of a world that differ from the defaults. */
export type WorldOptions = Partial<
  Pick<
    MemoryOptions,
    | 'betweenWrites'
    | 'queue'
    | 'resources'
    | 'bill'
    | 'tenantLimits'
    | 'limitsOfTenants'
    | 'settings'
    | 'secrets'
    | 'internet'
  >
> &
  SessionOptions & {
    /** Waits a moment of real time while something that needs it runs, and says whether it waited. */
    readonly realTime?: () => Promise<boolean>;
    /** The files of the session's workspace at the start; none if absent. */
    readonly workspace?: Files;
    /** Prices of models that the agent gives none. Without it they have none. */
    readonly priceOf?: PriceOf;
    /** Agents of the deployment that the first one only names. */
    readonly agents?: readonly Agent[];
    /** See `StepOptions`. */
    readonly packAbove?: number;
    readonly skillsOf?: StepOptions['skillsOf'];
  };

/** A world with one agent and one session, which its first message creates. */
export function agentWorld(
  first: Agent,
  model: ScriptedModel,
  {
    outbound,
    mode,
    realTime = async () => false,
    packAbove,
    priceOf = async () => undefined,
    skillsOf,
    workspace: files,
    agents: others = [],
    ...options
  }: WorldOptions = {},
): AgentWorld {
  const world = memoryWorld({ provider: withShapes(model), settings: {}, secrets: {}, ...options });
  const key = { tenant: 'acme', sessionId: 's1' };
  let agent = first;
  let count = 0;
  const agentOf = (name: string) =>
    [agent, ...others].flatMap((one) => teamOf(one)).find((one) => one.name === name);

  /** The stores, in which a session begins with these files. */
  const withFiles = async (kept: Files) => {
    const workspace = await keepFiles(key, kept, world);
    const create: typeof world.sessions.create = (made) => world.sessions.create({ ...made, workspace });
    return { sessions: { ...world.sessions, create } };
  };

  const session: AgentWorld = {
    ...world,
    model,
    key,
    agentOf,
    faults: faults(),
    deploy(changed) {
      agent = changed;
    },
    async say(text, eventId = `event${++count}`, by, caller) {
      await openSession(key, agent, priceOf, files ? await withFiles(files) : world, {
        outbound,
        mode,
        first: { at: world.clock.now(), ...(by && { by }), ...defined({ caller }) },
      });
      return accept(key, { eventId, text, ...(by && { by }), ...defined({ caller }) }, world);
    },
    begin({ deadlineMs = 300_000, abandon = false, messageId } = {}) {
      const delivery = world.queue.receive(messageId);
      if (!delivery) return undefined;
      const { host, ports } = session.faults.host(world);
      const deadlineAt = world.clock.now() + deadlineMs;
      const invocation = { id: world.ids.next(), message: delivery.handle, deadlineAt };
      let end: 'ack' | 'retry' | { error: unknown } | undefined;
      const how = {
        agentOf,
        leaseMs: 60_000,
        abandon,
        ...defined({ packAbove, skillsOf }),
      };
      const children = childrenOver(ports, agentOf, priceOf);
      runStep(delivery.wake, invocation, how, { ...ports, children }).then(
        (settlement) => {
          end = settlement;
        },
        // If a service cannot be reached, the message comes back (functions/middleware/settle-batch.ts).
        (error: unknown) => {
          end = error instanceof Unreachable ? 'retry' : { error };
        },
      );
      return {
        host,
        async finish() {
          await settlePromises();
          while (!end && host.running) if (!(await realTime())) await world.clock.advance(100);
          if (!end) return 'stopped';
          if (typeof end === 'object') throw end.error;
          if (end === 'ack') world.queue.delete(delivery.handle);
          return end;
        },
      };
    },
    async step(how) {
      return session.begin(how)?.finish();
    },
    async settle(most = 200) {
      for (let steps = 0, turns = 0; turns < 2 * most; turns += 1) {
        if (await session.step()) steps += 1;
        else {
          const next = world.queue.nextVisibleAt();
          if (next === undefined) return steps;
          await world.clock.advance(next - world.clock.now());
        }
      }
      throw new Error(`not at rest after ${2 * most} turns`);
    },
    kill: () => session.faults.latest.kill(),
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
      const { session: committed } = await session.view();
      const frames = (await catchUp(key, 0, 100_000, world)) ?? [];
      return frames.filter(({ seq }) => seq <= committed.eventSeq).map(({ event }) => event);
    },
  };
  return session;
}
