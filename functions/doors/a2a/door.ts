import { hash } from '../../../shared/agent/plain/hash.ts';
import { goesOn, isOver, type RunAsTask } from '../../../shared/doors/a2a/run.ts';
import { decisionsFor, type SentContent } from '../../../shared/doors/a2a/sent.ts';
import { eventIdOfKey } from '../../routes/arrivals.ts';
import type { RouteContext } from '../../routes/context.ts';
import { type ApiOfRoutes, WAIT_MS } from '../api.ts';
import { firstRun, goingRun, type Runs, type SessionOfRuns } from './runs.ts';

/** Interval in ms at which it looks. */
const LOOK_MS = 1_000;

/** Why a request is refused, in the protocol's terms. */
export class DoorRefusal extends Error {
  readonly kind: 'no_task' | 'not_cancelable' | 'unsupported' | 'invalid' | 'content';

  constructor(kind: DoorRefusal['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** A message, without the protocol's wrapping. */
export interface Sent {
  readonly messageId: string;
  /** Undefined if it has parts that agents cannot read. */
  readonly content: SentContent | undefined;
  readonly taskId?: string | undefined;
  readonly contextId?: string | undefined;
  /** Whether the answer waits for the run. */
  readonly waits: boolean;
}

export interface A2aDoor {
  send(sent: Sent): Promise<RunAsTask>;
  get(taskId: string): Promise<RunAsTask>;
  cancel(taskId: string): Promise<RunAsTask>;
}

/** An agent's sessions and runs as A2A's contexts and tasks. */
export function doorOf(
  agent: string,
  subject: string,
  api: ApiOfRoutes,
  runs: Runs,
  { io: { clock } }: Pick<RouteContext, 'io'>,
): A2aDoor {
  async function get(taskId: string): Promise<RunAsTask> {
    const task = await runs.read(taskId);
    if (!task) throw noTask(taskId);
    return task;
  }

  /** The task when it asks people or is over, or after the longest time. */
  async function settled(taskId: string): Promise<RunAsTask> {
    const until = clock.now() + WAIT_MS;
    for (; clock.now() + LOOK_MS <= until; await clock.sleep(LOOK_MS)) {
      const state = await runs.stateOf(taskId);
      if (state === undefined || state === 'past' || !goesOn(state)) break;
    }
    return get(taskId);
  }

  async function sessionOf(contextId: string): Promise<SessionOfRuns> {
    const now = await runs.session(contextId);
    if (!now)
      throw new DoorRefusal('invalid', `There is no context ${contextId}. Leave contextId out to begin one.`);
    return now;
  }

  /** Sends a message to a session at rest or at work, and returns the run that reads it. */
  async function added(contextId: string, text: string, key: string): Promise<string> {
    const { slots } = await sessionOf(contextId);
    const { eventId, duplicate } = await api.addMessage(contextId, text, { idempotencyKey: key });
    const read = await runs.thatRead(contextId, eventId, duplicate ? 0 : slots);
    return read ?? goingRun(await sessionOf(contextId));
  }

  /** The task that a message has begun, joined or decided on. */
  async function taken({ messageId, content, taskId, contextId }: Sent): Promise<string> {
    if (messageId === '') throw new DoorRefusal('invalid', 'The message has no messageId.');
    if (!content) throw new DoorRefusal('content', 'This agent reads text and data parts, and no files.');
    const key = `a2a-${hash(`${agent}:${subject}:${messageId}`)}`;
    const { text } = content;
    if (taskId === undefined && contextId === undefined) {
      requireText(content);
      const { sessionId } = await api.createSession({ agent, message: text }, { idempotencyKey: key });
      return firstRun(sessionId);
    }
    const task = await (taskId === undefined ? lastTask(contextId ?? '') : get(taskId));
    if (contextId !== undefined && task.contextId !== contextId)
      throw new DoorRefusal('invalid', `The task ${task.id} belongs to the context ${task.contextId}.`);
    if (task.state === 'input_required') {
      const decisions = decisionsFor(content, task.asks);
      if (typeof decisions === 'string') throw new DoorRefusal('invalid', decisions);
      for (const decision of decisions) await api.decide(task.contextId, decision);
      return task.id;
    }
    // A decision is repeated if its answer was lost, and the run has gone on since.
    if (text === '' && content.decisions.length > 0) {
      for (const decision of namedDecisions(content, task)) await api.decide(task.contextId, decision);
      return task.id;
    }
    requireText(content);
    if (taskId !== undefined && isOver(task.state)) {
      // A message that was sent before is answered as it was then.
      if ((await runs.thatRead(task.contextId, eventIdOfKey(key), 0)) === taskId) return taskId;
      throw new DoorRefusal(
        'unsupported',
        `The task ${taskId} is ${task.state}. Send the message with its contextId and no taskId to begin another task.`,
      );
    }
    return added(task.contextId, text, key);
  }

  /** The last task of a context. */
  async function lastTask(
    contextId: string,
  ): Promise<Pick<RunAsTask, 'id' | 'contextId' | 'state' | 'asks'>> {
    const now = await sessionOf(contextId);
    const id = now.run?.id ?? goingRun(now);
    return (await runs.read(id)) ?? { id, contextId, state: 'working', asks: [] };
  }

  return {
    get,
    async send(sent) {
      const taskId = await taken(sent);
      return sent.waits ? settled(taskId) : get(taskId);
    },
    async cancel(taskId) {
      // No limit counts this request, so it reads no past run.
      const state = await runs.stateOf(taskId);
      if (state === undefined) throw noTask(taskId);
      if (state === 'past' || isOver(state) || !(await runs.cancel(taskId)))
        throw new DoorRefusal(
          'not_cancelable',
          `The task ${taskId} is ${state === 'past' ? 'over' : state}.`,
        );
      return settled(taskId);
    },
  };
}

/** The decisions of a message to a task that waits for none: each names its wait, or nothing says what it has decided. */
function namedDecisions(content: SentContent, { id, state }: Pick<RunAsTask, 'id' | 'state'>) {
  const decisions = decisionsFor(content, []);
  if (typeof decisions !== 'string') return decisions;
  throw new DoorRefusal('invalid', `The task ${id} is ${state}, and waits for no decision.`);
}

const noTask = (taskId: string) => new DoorRefusal('no_task', `There is no task ${taskId}.`);

function requireText({ text }: SentContent): void {
  if (text === '') throw new DoorRefusal('invalid', 'The message has no text.');
}
