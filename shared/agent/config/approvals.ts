import * as z from 'zod';
import { effectNames } from './effects.ts';

/** A subject in the form that identities have, or a role of JWTs. */
const DeciderName = z
  .string()
  .max(300)
  .regex(
    /^(?:operator|(?:user|key|slack|email|channel|role):.+)$/u,
    'use operator, user:<sub>, key:<keyId>, slack:<workspace>:<user>, email:<address>, channel:<name>:<id> or role:<role>',
  );

/** When people are asked before a call starts, and who decides. A tool's own `approval` overrides `effects`. */
export const Approvals = z.strictObject({
  /** Effects of the tools whose calls must be approved if the agent has no `policy`. */
  effects: z.array(z.enum(effectNames)).default(['once']),
  /** Seconds until an undecided request counts as denied, and an unanswered question as unanswered for good. */
  expireAfterSeconds: z
    .int()
    .min(1)
    .max(30 * 86_400)
    .default(86_400),
  /**
   * Decides on a call that must be approved while no person can be asked: no client is listening to the session, and only
   * webhooks have asked for the run. The call is denied at once, or waits until a person comes. When absent: `deny` if the agent
   * has a policy, else `wait`.
   */
  unattended: z.enum(['deny', 'wait']).optional(),
  /**
   * The people who decide, by subject or role (docs/identity.md); if empty, every person of the tenant. An API key needs its scope in any
   * case.
   */
  deciders: z.array(DeciderName).max(100).default([]),
  /**
   * The people who answer the run's questions, by subject or role (docs/identity.md), by whatever way; if empty, everyone who takes part in
   * the session. Messages of others do not answer a question: they wait until it is answered.
   */
  answerers: z.array(DeciderName).max(100).default([]),
  /** Whether people whose messages a run has read may approve its calls. */
  requesterMayDecide: z.boolean().default(true),
  /**
   * Whether people of other organisations who share a channel in Slack (Slack Connect) may decide. Those named in `deciders` may
   * in any case. To allow only some organisations, use `mayDecide` with `slack.userTeam`.
   */
  externalsMayDecide: z.boolean().default(false),
});
export type Approvals = z.output<typeof Approvals>;
/** Keys of `approvals`. */
export type ApprovalsInput = z.input<typeof Approvals>;

/**
 * `by_tool` asks only for tools that require it themselves, whatever their effect, as the systems that the guards' presets are
 * modelled on do. No preset turns it on.
 */
export type ApprovalsOption = 'by_tool' | ApprovalsInput;

export const byTool = { effects: [] } satisfies ApprovalsInput;
