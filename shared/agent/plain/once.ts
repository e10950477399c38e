/**
 * Options for zod where a process checks one value with a schema, such as a definition. Otherwise zod compiles the schema first,
 * which takes longer than the check and is a sixth of a cold start (https://zod.dev/packages/core#parsing).
 */
export const once = { jitless: true } as const;
