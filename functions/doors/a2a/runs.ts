import { cancelRun } from '../../../shared/agent/entrypoints/accept.ts';
import { slotsOf } from '../../../shared/agent/lineage/slots.ts';
import { runIdAt, runIdOf } from '../../../shared/agent/session/run-ids.ts';
import type { RunResult } from '../../../shared/contract/events.ts';
import type { EndingInfo } from '../../../shared/contract/http.ts';
import { type RunAsTask, runNamed, taskStateOf } from '../../../shared/doors/a2a/run.ts';
import type { SessionNow } from '../../../shared/doors/api.ts';
import { askedOf } from '../../../shared/doors/asked.ts';
import { lastSaid } from '../../../shared/doors/said.ts';
import type { RouteContext } from '../../routes/context.ts';
import type { ApiOfRoutes } from '../api.ts';

/** What `GET /sessions/{sessionId}` answers beyond {@link SessionNow}. */
export interface SessionOfRuns extends SessionNow {
  /** Committed slots. */
  readonly slots: number;
  readonly run?: { readonly id: string; readonly ended: boolean };
  readonly lastEnding?: EndingInfo;
}

/** The runs of the sessions that the caller may see. */
export interface Runs {
  /** Rejects with a Refusal if there is no such session. */
  session(sessionId: string): Promise<SessionOfRuns>;
  /** Undefined if there is no such run. */
  read(taskId: string): Promise<RunAsTask | undefined>;
  /** The run that has read a message, among the slots from `from`; undefined if none has. */
  thatRead(sessionId: string, eventId: string, from: number): Promise<string | undefined>;
  /** Asks the run to stop. False if it is over. */
  cancel(taskId: string): Promise<boolean>;
}

/** The active run, or the one that the next step begins. */
export const goingRun = ({ sessionId, run, slots }: SessionOfRuns): string =>
  run && !run.ended ? run.id : `${sessionId}-${slots}`;

export function runsOf(tenant: string, api: ApiOfRoutes, { io }: Pick<RouteContext, 'io'>): Runs {
  const session = async (sessionId: string) => (await api.session(sessionId)) as SessionOfRuns;

  async function current(now: SessionOfRuns, taskId: string): Promise<RunAsTask | undefined> {
    const { sessionId: contextId, run, state, lastEnding } = now;
    const base = { id: taskId, contextId, asks: [], messages: [] } as const;
    if (run?.id !== taskId)
      return state === 'running' && goingRun(now) === taskId ? { ...base, state: 'submitted' } : undefined;
    const messages = await api.messages(contextId, runNamed(taskId)?.slot);
    const ended = run.ended ? lastEnding : undefined;
    return {
      ...base,
      state: taskStateOf(ended?.state ?? state),
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
      const found = await current(now, taskId);
      return found ?? (named.slot < now.slots ? past(named.sessionId, taskId) : undefined);
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
