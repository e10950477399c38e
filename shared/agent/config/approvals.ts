import * as z from 'zod';
import { effectNames } from './effects.ts';

/** A subject, as identities have it, or a role of JWTs. */
const DeciderName = z
  .string()
  .max(300)
  .regex(
    /^(?:operator|(?:user|key|slack|role):.+)$/u,
    'use operator, user:<sub>, key:<keyId>, slack:<workspace>:<user> or role:<role>',
  );

/** When people are asked before a call starts, and who decides. A tool's own `approval` goes before `effects`. */
export const Approvals = z.strictObject({
  /** Effects of the tools whose calls must be approved, where the agent has no `policy`. */
  effects: z.array(z.enum(effectNames)).default(['once']),
  /** Seconds until a request that nobody has decided counts as denied, and a question as unanswered. */
  expireAfterSeconds: z
    .int()
    .min(1)
    .max(30 * 86_400)
    .default(86_400),
  /**
   * What comes of a call that must be approved where nobody is there to ask: nobody listens to the session, and only webhooks have asked
   * for the run. It is denied at once, or waits for whoever comes. `deny` when absent and the agent has a policy, else `wait`.
   */
  unattended: z.enum(['deny', 'wait']).optional(),
  /**
   * Who decides, by subject or role (docs/identity.md); when empty, everybody of the tenant who is a person. An API key
   * needs its scope in any case.
   */
  deciders: z.array(DeciderName).max(100).default([]),
  /** Whether those whose messages a run has read may approve its calls. */
  requesterMayDecide: z.boolean().default(true),
  /**
   * Whether people of other organisations, who share a channel in Slack (Slack Connect), may decide. Those whom `deciders`
   * names may in any case. A `mayDecide` says of which organisations, by `slack.userTeam`.
   */
  externalsMayDecide: z.boolean().default(false),
});
export type Approvals = z.output<typeof Approvals>;
/** Keys of `approvals`. */
export type ApprovalsInput = z.input<typeof Approvals>;

/**
 * `by_tool` asks only about tools that say so themselves, whatever they do to the world: the way of the systems that
 * guards' presets are modelled on. No preset turns it on.
 */
export type ApprovalsOption = 'by_tool' | ApprovalsInput;

export const byTool = { effects: [] } satisfies ApprovalsInput;
