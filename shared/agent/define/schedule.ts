/** The schedules of a definition: runs that begin by the clock. */

import * as z from 'zod';
import { DEFAULT_TENANT } from '../../contract/identity.ts';
import { API_SCHEDULE, MAX_SCHEDULE_MESSAGE, scheduleKeys } from '../../contract/schedules.ts';
import { AgentName, ScheduleId, Tenant } from '../../contract/session.ts';
import { explainInLines } from '../plain/explain.ts';
import { once } from '../plain/once.ts';
import { zoneNamed } from '../plain/zones.ts';

/** A moment at which a schedule is due. */
export interface ScheduleTick {
  readonly tenant: string;
  /** The schedule's name. */
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
  /** The same by the clock of the zone: `2026-11-27T09:00`. */
  readonly local: string;
  /** IANA name. */
  readonly zone: string;
  /** Ms since it was due. */
  readonly lateMs: number;
}

/**
 * The message of a tick to its agent: a text, or a function that returns one, or facts that the agent reads as JSON. Pure. If it throws, the
 * tick has failed, and its history says why.
 */
export type ScheduleMessage = string | ((tick: ScheduleTick) => string | object);

const Message = z.union(
  [
    z
      .string()
      .max(MAX_SCHEDULE_MESSAGE)
      .refine((text) => text.trim() !== ''),
    z.custom<Exclude<ScheduleMessage, string>>((value) => typeof value === 'function'),
  ],
  `must be a text of up to ${MAX_SCHEDULE_MESSAGE} characters, or a function`,
);

const Declaration = z.strictObject({
  /** Its id in each of its tenants. A schedule with another name is another schedule. */
  name: ScheduleId.refine((id) => !id.startsWith(API_SCHEDULE), `must not start with ${API_SCHEDULE}`),
  /** The name of an agent of the deployment. */
  agent: AgentName,
  message: Message,
  /** The tenants that have it. Removing one removes the schedule there. */
  tenants: z.array(Tenant).min(1, 'name at least one').max(1_000).default([DEFAULT_TENANT]),
  ...scheduleKeys,
  zone: scheduleKeys.zone.refine(
    (name) => zoneNamed(name) !== undefined,
    'must be the IANA name of a time zone, such as Pacific/Auckland',
  ),
  /** A new session for each tick, or one for all of them. */
  into: z.enum(['new', 'same']).default('new'),
  callbackUrl: z.url({ protocol: /^https$/, error: 'must be a URL that starts with https://' }).optional(),
});

/** The argument of `defineSchedule`. */
export type ScheduleDeclaration = z.input<typeof Declaration>;
/** A schedule of a definition: validated, defaults filled in, frozen. */
export type DeclaredSchedule = Readonly<z.output<typeof Declaration>>;

/**
 * Declares a schedule. Unknown keys are refused. Throws if it is not valid, and says why. A pattern that cannot be read is refused when
 * the definition is loaded, before it is deployed (`check-schedules.ts`): functions do not load the code for that.
 *
 * @example
 * defineSchedule({
 *   name: 'morning-report',
 *   agent: 'analyst',
 *   when: { cron: '30 8 * * MON-FRI' },
 *   zone: 'Europe/Berlin',
 *   message: 'Write the report of the last day.',
 * });
 */
export function defineSchedule(declaration: ScheduleDeclaration): DeclaredSchedule {
  const parsed = Declaration.safeParse(declaration, once);
  if (parsed.success) return Object.freeze(parsed.data);
  const lines = explainInLines(parsed.error, Declaration);
  throw new Error(lines.map((line) => `schedule, ${line}`).join('\n'));
}
