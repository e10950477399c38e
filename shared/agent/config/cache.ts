import * as z from 'zod';

/** How long a server keeps what it has cached after the last read: five minutes or an hour. `false`: not marked for caching. */
const Lifetime = z.union([z.enum(['5m', '1h']), z.literal(false)]);
export type Lifetime = z.output<typeof Lifetime>;

/** How long each part of a request is kept in the server's prompt cache (docs/providers.md, "Prompt cache"). */
export const Cache = z.union([
  z.literal(false),
  z.strictObject({
    /** The tools. When absent, the longer lifetime of the other two. */
    tools: Lifetime.optional(),
    /** The system prompt. When absent, the lifetime of the messages. */
    system: Lifetime.optional(),
    /** The conversation. `5m` when absent. */
    messages: Lifetime.optional(),
  }),
]);
export type Cache = z.output<typeof Cache>;
