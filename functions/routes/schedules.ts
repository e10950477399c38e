import {
  pauseSchedule,
  resumeSchedule,
  runSchedule,
} from '../../shared/agent/entrypoints/schedules/manage.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import { canonicalJson, hash } from '../../shared/agent/plain/hash.ts';
import { zoneNamed } from '../../shared/agent/plain/zones.ts';
import { createSchedule } from '../../shared/agent/schedules/create.ts';
import type { Schedule, StoredSchedule } from '../../shared/agent/schedules/schedule.ts';
import { faultOf } from '../../shared/agent/schedules/when.ts';
import { callerFacts } from '../../shared/agent/session/caller.ts';
import { isOf } from '../../shared/agent/session/handoffs.ts';
import { MAX_BODY_BYTES } from '../../shared/contract/http.ts';
import { ADMIN_ROLE, type Identity, maySeeAll } from '../../shared/contract/identity.ts';
import {
  API_SCHEDULE,
  CreateSchedule,
  type Into,
  SchedulesQuery,
  TicksQuery,
} from '../../shared/contract/schedules.ts';
import { ScheduleId } from '../../shared/contract/session.ts';
import { log } from '../../shared/logger.ts';
import { parseOr400, Refusal } from '../middleware/problem.ts';
import { json, jsonBody } from '../middleware/request.ts';
import { agentNamed, idempotencyKeyOf, reusedKey } from './arrivals.ts';
import { checkedCallback } from './callbacks.ts';
import { noSuchSession, type Route, type RouteContext } from './context.ts';
import { scheduleShown, tickShown } from './schedules-shown.ts';
import { isSeenBy, userOf } from './seen.ts';

/** `POST /schedules`: runs that begin by the clock, in the name of the caller. */
export const postSchedule: Route = async (event, caller, context) => {
  const { when, zone, into, callbackUrl, budget, ...asked } = jsonBody(event, CreateSchedule, MAX_BODY_BYTES);
  const { io, schedules } = context;
  const now = io.clock.now();
  agentNamed(asked.agent, context);
  const fault = faultOf(when, zone, now);
  if (fault !== undefined) throw wrong(...splitFault(fault));
  await requireSession(into, asked.agent, caller, context);
  const key = idempotencyKeyOf(event);
  const name = key === undefined ? io.ids.next() : hash(`${caller.tenant} ${caller.subject} ${key}`, 26);
  const user = userOf(caller);
  // Roles are those of a moment: a schedule lives on when they are taken away.
  const { roles: _, ...facts } = callerFacts(caller, 'schedule', zone);
  const schedule: Schedule = {
    key: { tenant: caller.tenant, id: `${API_SCHEDULE}${name}` },
    ...{ ...asked, when, zone: zoneNamed(zone) ?? 'UTC', into, declared: false, createdAt: now },
    ...defined({ budget }),
    ...(callbackUrl !== undefined && { callbackUrl: checkedCallback(callbackUrl, context) }),
    ...defined({ user }),
    speaker: { by: caller.subject, caller: facts },
  };
  const stored = await createSchedule(schedule, { ...io, schedules });
  if (stored === 'full')
    throw new Refusal(429, 'Too many schedules', {
      detail: 'This tenant has 1,000 schedules, which is the most. Delete some that it does not need.',
    });
  if (!isSameWish(stored.schedule, schedule)) throw reusedKey();
  log('info', 'a schedule was created', {
    tenant: caller.tenant,
    by: caller.subject,
    schedule: schedule.key.id,
  });
  return json(201, scheduleShown(stored));
};

/** `GET /schedules`: those that the caller may see, by id. */
export const listSchedules: Route = async (event, caller, { schedules }) => {
  const { after = '', limit } = parseOr400(SchedulesQuery, event.queryStringParameters ?? {}, 'query');
  const found: StoredSchedule[] = [];
  let last = after;
  for (let isLast = false; !isLast && found.length < limit; ) {
    const page = await schedules.page(caller.tenant, last, limit);
    for (const one of page) {
      if (found.length === limit) break;
      last = one.schedule.key.id;
      if (isSeenBy(caller, one.schedule)) found.push(one);
    }
    isLast = page.length < limit;
    if (found.length === limit && !isLast) break;
  }
  const next = found.length === limit ? last : undefined;
  return json(200, { schedules: found.map(scheduleShown), ...defined({ next }) });
};

/** `GET /schedules/{scheduleId}` */
export const readSchedule: Route = async (event, caller, context) =>
  json(200, scheduleShown(await seen(event, caller, context)));

/** `GET /schedules/{scheduleId}/history`: the outcomes of its ticks, the last one first. */
export const readTicks: Route = async (event, caller, context) => {
  const { before = '', limit } = parseOr400(TicksQuery, event.queryStringParameters ?? {}, 'query');
  const { schedule } = await seen(event, caller, context);
  const records = await context.schedules.records(schedule.key, before, limit);
  const last = records.length === limit ? records.at(-1) : undefined;
  return json(200, { ticks: records.map(tickShown), ...(last && { next: last.id }) });
};

/** `POST /schedules/{scheduleId}/pause` */
export const postPause: Route = async (event, caller, context) => {
  const { schedule } = await own(event, caller, context);
  const paused = await pauseSchedule(schedule.key, { clock: context.io.clock, schedules: context.schedules });
  noted('paused', schedule, caller);
  return json(200, scheduleShown(orNone(paused)));
};

/** `POST /schedules/{scheduleId}/resume` */
export const postResume: Route = async (event, caller, context) => {
  const { schedule } = await own(event, caller, context);
  const resumed = await resumeSchedule(schedule.key, { ...context.io, schedules: context.schedules });
  noted('resumed', schedule, caller);
  return json(200, scheduleShown(orNone(resumed)));
};

/** `POST /schedules/{scheduleId}/run`: one more tick, now. */
export const postRun: Route = async (event, caller, context) => {
  const { schedule } = await own(event, caller, context);
  const tickId = await runSchedule(schedule.key, { ...context.io, schedules: context.schedules });
  if (tickId === undefined) throw noSuchSchedule();
  if (tickId === 'full')
    throw new Refusal(
      429,
      'Too many ticks wait',
      { detail: 'Ticks of this schedule wait for its last run to end. Try again later, or cancel that run.' },
      { 'retry-after': '60' },
    );
  noted('run', schedule, caller);
  return json(202, { tickId });
};

/** `DELETE /schedules/{scheduleId}`: it begins nothing more. Runs that have begun go on. */
export const deleteSchedule: Route = async (event, caller, context) => {
  const { schedule } = await own(event, caller, context);
  if (schedule.declared)
    throw new Refusal(409, 'Declared schedule', {
      detail:
        'The definition has this schedule: remove it there, and deploy. POST …/pause stops it until then.',
    });
  await context.schedules.remove(schedule.key);
  noted('deleted', schedule, caller);
  return json(200, { deleted: schedule.key.id });
};

type Event = Parameters<Route>[0];

/** The schedule that the path names, if the caller may see it. */
async function seen(event: Event, caller: Identity, { schedules }: RouteContext): Promise<StoredSchedule> {
  const id = ScheduleId.safeParse(event.pathParameters?.scheduleId);
  const stored = id.success ? await schedules.read({ tenant: caller.tenant, id: id.data }) : undefined;
  if (!stored || !isSeenBy(caller, stored.schedule)) throw noSuchSchedule();
  return stored;
}

/** The same, if the caller may change it: its creator may, and an administrator of the tenant. */
async function own(event: Event, caller: Identity, context: RouteContext): Promise<StoredSchedule> {
  const stored = await seen(event, caller, context);
  const { kind, roles = [], subject } = caller;
  const isAdmin = kind === 'token' || (kind === 'jwt' && roles.includes(ADMIN_ROLE));
  if (isAdmin || (!stored.schedule.declared && stored.schedule.speaker.by === subject)) return stored;
  throw new Refusal(403, 'Not allowed', {
    detail: `Only the creator of this schedule may do this, the deployment's API token, or a JWT with the role ${ADMIN_ROLE}.`,
  });
}

/** Refuses a session that the caller may not write to, or that another agent has. */
async function requireSession(
  into: Into,
  agent: string,
  caller: Identity,
  { io }: RouteContext,
): Promise<void> {
  if (typeof into === 'string') return;
  const view = await io.sessions.read({ tenant: caller.tenant, sessionId: into.sessionId });
  if (!view || !(maySeeAll(caller) || isSeenBy(caller, view.session))) throw noSuchSession();
  if (!isOf(view.session, agent))
    throw wrong('agent', `the session belongs to the agent ${view.session.agent}; name that one`);
}

/** Whether a repeated request asks for the same. */
function isSameWish(a: Schedule, b: Schedule): boolean {
  const wish = ({ createdAt: _, ...schedule }: Schedule) => canonicalJson(schedule);
  return wish(a) === wish(b);
}

const splitFault = (fault: string): [string, string] => {
  const at = fault.indexOf(': ');
  return [fault.slice(0, at), fault.slice(at + 2)];
};

const wrong = (path: string, message: string): Refusal =>
  new Refusal(400, 'Invalid body', {
    detail: 'Correct the listed fields and send it again.',
    errors: [{ path, message }],
  });

const noSuchSchedule = (): Refusal =>
  new Refusal(404, 'No such schedule', { detail: 'GET /schedules lists those that there are.' });

const noted = (what: string, { key, declared }: Schedule, { tenant, subject }: Identity): void =>
  log('info', 'a schedule was changed', { tenant, by: subject, schedule: key.id, what, declared });

/** A schedule that may have been deleted meanwhile. */
function orNone(stored: StoredSchedule | undefined): StoredSchedule {
  if (stored) return stored;
  throw noSuchSchedule();
}
