import { cancelRun } from '../../../shared/agent/entrypoints/accept.ts';
import { slotsOf } from '../../../shared/agent/lineage/slots.ts';
import { runIdAt, runIdOf } from '../../../shared/agent/session/run-ids.ts';
import type { RunResult } from '../../../shared/contract/events.ts';
import type { EndingInfo } from '../../../shared/contract/http.ts';
import { type RunAsTask, runNamed, type TaskStateName, taskStateOf } from '../../../shared/doors/a2a/run.ts';
import type { SessionNow } from '../../../shared/doors/api.ts';
import { askedOf } from '../../../shared/doors/asked.ts';
import { lastSaid } from '../../../shared/doors/said.ts';
import { Refusal } from '../../middleware/problem.ts';
import type { RouteContext } from '../../routes/context.ts';
import type { ApiOfRoutes } from '../api.ts';

/** What `GET /sessions/{sessionId}` answers beyond {@link SessionNow}. */
export interface SessionOfRuns extends SessionNow {
  /** Committed slots. */
  readonly slots: number;
  readonly run?: { readonly id: string; readonly ended: boolean };
  readonly lastEnding?: EndingInfo;
}

/** The runs of the agent's sessions that the caller may see. */
export interface Runs {
  /** Undefined if there is no such session. */
  session(sessionId: string): Promise<SessionOfRuns | undefined>;
  /** Undefined if there is no such run. */
  read(taskId: string): Promise<RunAsTask | undefined>;
  /** The state of a run, by one read of its session: `past` if it may be one before the last. Undefined if there is no such run. */
  stateOf(taskId: string): Promise<TaskStateName | 'past' | undefined>;
  /** The run that has read a message, among the slots from `from`; undefined if none has. */
  thatRead(sessionId: string, eventId: string, from: number): Promise<string | undefined>;
  /** Asks the run to stop. False if it is over. */
  cancel(taskId: string): Promise<boolean>;
}

/** The active run, or the one that the next step begins. */
export const goingRun = ({ sessionId, run, slots }: SessionOfRuns): string =>
  run && !run.ended ? run.id : `${sessionId}-${slots}`;

/** The state of the session's last run, or of the one that the next step begins. Undefined for all others. */
function stateIn(now: SessionOfRuns, taskId: string): TaskStateName | undefined {
  const { run, state } = now;
  if (run?.id === taskId) return taskStateOf(endingIn(now)?.state ?? state);
  return state === 'running' && goingRun(now) === taskId ? 'submitted' : undefined;
}

const endingIn = ({ run, lastEnding }: SessionOfRuns): EndingInfo | undefined =>
  run?.ended ? lastEnding : undefined;

export function runsOf(
  agent: string,
  tenant: string,
  api: ApiOfRoutes,
  { io }: Pick<RouteContext, 'io'>,
): Runs {
  async function session(sessionId: string): Promise<SessionOfRuns | undefined> {
    const now = await api.session(sessionId).catch(absent);
    return (now?.begunWith ?? now?.agent) === agent ? (now as SessionOfRuns) : undefined;
  }

  async function current(now: SessionOfRuns, taskId: string): Promise<RunAsTask | undefined> {
    const { sessionId: contextId, run } = now;
    const state = stateIn(now, taskId);
    const base = { id: taskId, contextId, asks: [], messages: [] } as const;
    if (state === undefined || run?.id !== taskId) return state && { ...base, state };
    const messages = await api.messages(contextId, runNamed(taskId)?.slot);
    const ended = endingIn(now);
    return {
      ...base,
      state,
      message: ended?.message,
      answer: lastSaid(messages),
      object: ended?.object,
      asks: run.ended ? [] : askedOf(now),
      messages,
    };
  }

  /** A run before the last one. The log knows how it ended. */
  async function past(contextId: string, taskId: string): Promise<RunAsTask | undefined> {
    let inRun: string | undefined;
    let result: RunResult | undefined;
    let next: string | undefined;
    for (let after = 0; next === undefined; ) {
      const page = await api.events(contextId, after);
      if (page.frames.length === 0) break;
      after = page.next;
      for (const { event } of page.frames) {
        if (event.type === 'RUN_STARTED') {
          inRun = runIdOf(event.runId);
          if (result && inRun !== taskId) next ??= inRun;
        }
        if (inRun === taskId && event.type === 'CUSTOM' && event.name === 'steploop.ended')
          result = event.value;
      }
    }
    if (!result) return undefined;
    const messages = await api.messages(
      contextId,
      runNamed(taskId)?.slot,
      next === undefined ? undefined : runNamed(next)?.slot,
    );
    return {
      ...{ id: taskId, contextId, asks: [], messages },
      state: taskStateOf(result.state),
      message: result.message,
      answer: lastSaid(messages),
      object: result.object,
    };
  }

  return {
    session,
    async read(taskId) {
      const named = runNamed(taskId);
      if (!named) return undefined;
      const now = await session(named.sessionId);
      const found = now && (await current(now, taskId));
      return found ?? (now && named.slot < now.slots ? past(named.sessionId, taskId) : undefined);
    },
    async stateOf(taskId) {
      const named = runNamed(taskId);
      const now = named && (await session(named.sessionId));
      return now && (stateIn(now, taskId) ?? (named.slot < now.slots ? 'past' : undefined));
    },
    async thatRead(sessionId, eventId, from) {
      const view = await io.sessions.read({ tenant, sessionId });
      if (!view) return undefined;
      const stored = await slotsOf(view.session, from, io.sessions, {
        below: view.session.version,
        bytes: Number.POSITIVE_INFINITY,
      });
      return stored.find(
        ({ slot }) => slot.kind === 'model' && slot.input.some((turn) => turn.eventId === eventId),
      )?.slot.runId;
    },
    async cancel(taskId) {
      const sessionId = runNamed(taskId)?.sessionId ?? '';
      return (await cancelRun({ tenant, sessionId }, taskId, io)) === 'cancelled';
    },
  };
}

/** The first run of a session that a message begins. */
export const firstRun = (sessionId: string): string => runIdAt({ tenant: '', sessionId }, 0);

/** For a session that does not exist, or that the caller may not see. */
function absent(error: unknown): undefined {
  if (error instanceof Refusal && error.problem.status === 404) return undefined;
  throw error;
}
