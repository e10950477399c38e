import * as z from 'zod';
import { ScheduleId, SessionId, Tenant } from './session.ts';

/**
 * A wake: the body of every message on the step queue.
 *
 * It says only that a session may have work, and the session's HEAD decides. The hints let the invocation start its
 * reads beside the claim; if they are wrong, they cost one more read.
 */
export const Wake = z.strictObject({
  tenant: Tenant,
  sessionId: SessionId,
  hint: z
    .strictObject({
      /** Committed slots when the wake was sent: the slots below it are final. */
      version: z.int().nonnegative(),
      /** First slot that the step is to read beside its claim. */
      from: z.int().nonnegative(),
      /** Content hash of the pinned definition. */
      definition: z.string().max(128),
      /** Inbox events that this wake announces. */
      inbox: z.array(z.string().max(256)).max(100).optional(),
    })
    .optional(),
  /** The sender's commit: an invocation that claims the session next need not read it. */
  recent: z
    .strictObject({
      /** The epoch of that commit. */
      epoch: z.int().nonnegative(),
      /** Every slot from `hint.from` on. */
      slots: z.array(z.looseObject({ n: z.int().nonnegative() })),
    })
    .optional(),
  /** How often this wake has been through the dead-letter queue. */
  deadLetters: z.int().nonnegative().optional(),
});
export type Wake = z.infer<typeof Wake>;

/** The message attribute that holds `recent`, as JSON: older workers read only the body, and do not know it. */
export const RECENT = 'recent';

/** The content of a message, body and attribute together. Throws when one of them is not JSON. */
export const contentOf = (body: string, recent?: string): object => ({
  ...JSON.parse(body),
  ...(recent !== undefined && { recent: JSON.parse(recent) }),
});

/** Kinds of external listeners. */
export const DeliveryKind = z.enum(['callback', 'slack', 'channel']);
export type DeliveryKind = z.infer<typeof DeliveryKind>;

/**
 * The body of every message on the delivery queues: external listeners may have something to hear of this session. It is
 * a hint, like a wake: their cursors say what they have not heard yet (`shared/agent/outbound/`).
 */
export const Delivery = z.strictObject({
  tenant: Tenant,
  sessionId: SessionId,
  /** The listeners that it is for, if listeners of each kind have a queue of their own; absent: all. */
  kind: DeliveryKind.optional(),
});
export type Delivery = z.infer<typeof Delivery>;

/**
 * A call: the body of every message on the tool queue. It says only that a call may have to run; the session's HEAD
 * says whether it is still needed.
 */
export const CallMessage = z.strictObject({
  tenant: Tenant,
  sessionId: SessionId,
  /** Number of the slot whose reply makes the call. */
  slot: z.int().nonnegative(),
  callId: z.string().min(1).max(256),
  /** The wait that its result resolves. */
  waitId: z.string().min(1).max(64),
});
export type CallMessage = z.infer<typeof CallMessage>;

/** A message of the step queue for schedules: these may have ticks that are due. It is a hint, like a wake. */
export const DueSchedules = z.strictObject({
  schedules: z.array(z.strictObject({ tenant: Tenant, id: ScheduleId })).max(100),
  /** Set if the schedules of the definition may differ from those that are stored. */
  declared: z.literal(true).optional(),
});
export type DueSchedules = z.infer<typeof DueSchedules>;
