/** Schedules: they begin runs by the clock (docs/schedules.md). */
import * as z from 'zod';
import { AgentName, ScheduleId, SessionId } from './session.ts';

/** The beginning of ids that the API gives. A definition cannot use it. */
export const API_SCHEDULE = 'sch_';

/** When a schedule is due: at times of a calendar, at equal distances, or once. */
export const When = z.union(
  [
    z.strictObject({
      /**
       * Minute, hour, day of the month, month, day of the week, by the clock of the zone: `30 8 * * MON-FRI`. Days may
       * be `L` (last), `15W` (nearest workday) and `FRI#2` (second Friday). A time that the clock skips is due when the
       * clock has skipped it; a time that it shows twice is due the first time. With `*` or `/` in minute or hour it is
       * due at each such minute that there is.
       */
      cron: z.string().min(9).max(120),
    }),
    z.strictObject({
      /** A whole number and `m`, `h` or `d`: `15m`, `6h`, `7d`. From one minute to 366 days, of elapsed time. */
      every: z.string().regex(/^[1-9]\d{0,5}[mhd]$/, 'must be like 15m, 6h or 7d'),
    }),
    z.strictObject({
      /** `2026-12-24T09:00` by the clock of the zone, or with `Z` or an offset. */
      at: z
        .string()
        .regex(
          /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?$/,
          'must be like 2026-12-24T09:00 or 2026-12-24T09:00:00Z',
        ),
    }),
  ],
  'must be one of { cron }, { every } and { at }',
);
export type When = z.infer<typeof When>;

/** The effect of a tick while the last run of the schedule goes on: leave it out, start it afterwards, or cancel the run. */
export const Overlap = z.enum(['skip', 'queue', 'cancel']);
export type Overlap = z.infer<typeof Overlap>;

/** The ticks to start that were missed by more than ten minutes: none, the last one, or all. */
export const CatchUp = z.enum(['none', 'last', 'all']);
export type CatchUp = z.infer<typeof CatchUp>;

/** The session that a tick writes to: a new one each time, one that belongs to the schedule, or an existing one. */
export const Into = z.union([z.enum(['new', 'same']), z.strictObject({ sessionId: SessionId })]);
export type Into = z.infer<typeof Into>;

/** The money that sessions of a schedule may spend. Ticks are left out once it is reached. */
export const ScheduleBudget = z.strictObject({
  usd: z.number().positive().max(1_000_000),
  /** The span of UTC time after which it begins again; `total`: never. */
  per: z.enum(['day', 'month', 'total']),
});
export type ScheduleBudget = z.infer<typeof ScheduleBudget>;

/** Characters of a schedule's message. */
export const MAX_SCHEDULE_MESSAGE = 10_000;

/** The keys that a schedule of the definition and one of the API share. */
export const scheduleKeys = {
  when: When,
  /** IANA name of the time zone whose clock counts. */
  zone: z.string().max(64).default('UTC'),
  into: Into.default('new'),
  overlap: Overlap.default('skip'),
  catchUp: CatchUp.default('last'),
  budget: ScheduleBudget.optional(),
  /** URL that hears of the ends and waits of its runs, as `callbackUrl` of `POST /sessions`. */
  callbackUrl: z.string().max(2_000).optional(),
};

/** `POST /schedules` */
export const CreateSchedule = z.strictObject({
  /** For people to read. */
  name: z.string().trim().min(1, 'must not be empty').max(100),
  agent: AgentName,
  message: z
    .string()
    .max(MAX_SCHEDULE_MESSAGE)
    .refine((text) => text.trim() !== '', 'must not be empty'),
  ...scheduleKeys,
});

export type CreateSchedule = z.input<typeof CreateSchedule>;

/** Schedules of one page, by default, and at most. */
const PAGE = 50;
const MAX_PAGE = 100;

/** `GET /schedules` */
export const SchedulesQuery = z.strictObject({
  /** The id of the last schedule of the page before. */
  after: ScheduleId.optional(),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(PAGE),
});

/** `GET /schedules/{scheduleId}/history` */
export const TicksQuery = z.strictObject({
  /** `next` of the page before. */
  before: z
    .string()
    .regex(/^\d{16}[a-z]?[A-Za-z0-9]{0,32}$/, 'must be the `next` of a page')
    .optional(),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(PAGE),
});

/** `active`: it goes on. `paused`: it begins nothing until it is resumed. `done`: it has no more ticks. */
export const scheduleStates = ['active', 'paused', 'done'] as const;

/**
 * The outcome of a tick. `started`: its message is in its session. `skipped`: the last run went on. `over_budget`. `missed`: it
 * was noticed too late, and `catchUp` leaves it out, or the schedule was paused. `failed`: its message or its session could not be made.
 */
export const tickOutcomes = ['started', 'skipped', 'over_budget', 'missed', 'failed'] as const;
export type TickOutcome = (typeof tickOutcomes)[number];

/** The part of a schedule that people set. */
export interface ScheduleTerms {
  /** For people to read. */
  readonly name: string;
  readonly agent: string;
  readonly when: When;
  /** IANA name. */
  readonly zone: string;
  /** Absent: the definition has a function for it. */
  readonly message?: string;
  readonly into: Into;
  readonly overlap: Overlap;
  readonly catchUp: CatchUp;
  readonly budget?: ScheduleBudget;
  readonly callbackUrl?: string;
}

/** `GET /schedules/{scheduleId}`: a schedule, and how far it has got. Times are ISO 8601. */
export interface ScheduleInfo extends ScheduleTerms {
  readonly scheduleId: string;
  /** Whether the definition has it: then only a deploy changes or removes it. */
  readonly declared: boolean;
  /** Subject; `schedule:` and its id for one of the definition. */
  readonly createdBy: string;
  readonly createdAt: string;
  readonly state: (typeof scheduleStates)[number];
  /** Why it is paused, if no person has paused it. */
  readonly why?: string;
  /** Its next tick; absent unless it is active. */
  readonly nextAt?: string;
  /** Its last tick, for a goal of an agent. */
  readonly until?: string;
  /** Ticks that are being started, or wait for the run before them. */
  readonly waiting: number;
  /** The last tick that was started. */
  readonly last?: { readonly at: string; readonly sessionId: string };
  /** Dollars that its sessions have spent in the span of its budget, as of its last tick; absent without a budget. */
  readonly spentUsd?: number;
}

/** The outcome of one tick. Times are ISO 8601. */
export interface TickInfo {
  readonly tickId: string;
  /** When it was due. */
  readonly at: string;
  readonly decidedAt: string;
  readonly outcome: TickOutcome;
  /** The session that it has written to, or whose run was in its way. */
  readonly sessionId?: string;
  readonly detail?: string;
  /** The last of the ticks that were missed with it. */
  readonly missedUntil?: string;
}

/** Names one schedule. */
export interface ScheduleKey {
  readonly tenant: string;
  readonly id: string;
}
