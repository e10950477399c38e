import * as z from 'zod';
import { once } from '../plain/once.ts';
import type { ToolSource } from '../tools/source.ts';
import { CapitalName } from './names.ts';

const fn = z.custom<(...args: never[]) => unknown>(
  (value) => typeof value === 'function',
  'must be a function',
);

const Source = z.strictObject({
  name: z
    .string()
    .max(32)
    .regex(/^[A-Za-z0-9]+([_-][A-Za-z0-9]+)*$/, 'use letters and digits, with single - or _ between them'),
  optional: z.boolean().optional(),
  queue: z.boolean().optional(),
  settings: z.array(CapitalName).optional(),
  secrets: z.array(CapitalName).optional(),
  list: fn,
  get: fn,
});

/**
 * Declares a source of tools (docs/tools.md, "Tool sources"). Throws if it is not valid, and lists all errors.
 *
 * @example
 * defineToolSource({
 *   name: 'shop', secrets: ['SHOP_KEY'],
 *   list: async ({ secret, signal }) => shop(await secret('SHOP_KEY')).tools({ signal }),
 *   get: ({ name }) => async (input, { secret, idempotencyKey }) =>
 *     shop(await secret('SHOP_KEY')).call(name, input, { idempotencyKey }),
 * });
 */
export function defineToolSource(source: ToolSource): ToolSource {
  const parsed = Source.safeParse(source, once);
  if (!parsed.success) throw new Error(`tool source ${source.name ?? '?'}: ${z.prettifyError(parsed.error)}`);
  return Object.freeze({ ...source });
}
