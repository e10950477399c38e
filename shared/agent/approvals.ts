import * as z from 'zod';

/** When people are asked before a call starts. A tool's own `approval` goes before it. */
export const Approvals = z.strictObject({
  /** Effects of the tools whose calls must be approved. */
  effects: z.array(z.enum(['read', 'idempotent', 'once'])).default(['once']),
  /** Seconds until a request that nobody has decided counts as denied, and a question as unanswered. */
  expireAfterSeconds: z
    .int()
    .min(1)
    .max(30 * 86_400)
    .default(86_400),
});
export type Approvals = z.output<typeof Approvals>;
export type ApprovalsInput = z.input<typeof Approvals>;
