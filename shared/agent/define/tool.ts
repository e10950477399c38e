import * as z from 'zod';
import { effectNames } from '../config/effects.ts';
import { levels } from '../config/levels.ts';
import { once } from '../plain/once.ts';
import type { Tool, ToolSpec } from '../tools/tool.ts';
import { CapitalName } from './names.ts';

const isFunction = (value: unknown): boolean => typeof value === 'function';

const Spec = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'use up to 64 letters, digits, _ and -'),
  description: z.string().min(1),
  input: z.custom<z.ZodType>(
    (value) => value instanceof z.ZodType || isSchema(value),
    'must be a zod schema',
  ),
  effect: z.enum(effectNames),
  evidence: z
    .strictObject({
      changes: z.literal('files').optional(),
      verifies: z.boolean().optional(),
      fails: z.string().min(1).max(200).refine(isPattern, 'must be a regular expression').optional(),
      shell: z.boolean().optional(),
      workspace: z.boolean().optional(),
      compiles: z.boolean().optional(),
      tasks: z.boolean().optional(),
    })
    .optional(),
  cacheable: z.boolean().optional(),
  touches: z.custom<(input: unknown) => readonly string[]>(isFunction, 'must be a function').optional(),
  poll: z.boolean().optional(),
  repeats: z.enum(['free', 'polls', 'counts']).optional(),
  acknowledges: z.array(z.string().min(1).max(200)).max(20).optional(),
  timeoutSeconds: z.number().positive().max(840).optional(),
  where: z.enum(['inline', 'queue', 'person']).optional(),
  approval: z
    .union([z.enum(['always', 'never']), z.custom<(input: unknown) => boolean>(isFunction)])
    .optional(),
  level: z.union([z.enum(levels), z.custom<Tool['level']>(isFunction)]).optional(),
  drafts: z.literal(true).optional(),
  settings: z.array(CapitalName).optional(),
  secrets: z.array(CapitalName).optional(),
  stop: z.custom<Tool['stop']>(isFunction, 'must be a function').optional(),
  run: z.custom<Tool['run']>(isFunction, 'must be a function'),
});

/**
 * Declares a tool. Throws if the declaration is not valid, and lists all errors.
 *
 * @example
 * defineTool({
 *   name: 'refund', description: 'Refund one order.', effect: 'once',
 *   input: z.object({ orderId: z.string() }), secrets: ['PAYMENTS_KEY'],
 *   run: async ({ orderId }, { idempotencyKey, secret }) =>
 *     payments(await secret('PAYMENTS_KEY')).refund(orderId, { idempotencyKey }),
 * });
 */
export function defineTool<
  Input extends z.ZodType,
  const Setting extends string = never,
  const Secret extends string = never,
>(spec: ToolSpec<Input, Setting, Secret>): Tool {
  const parsed = Spec.safeParse(spec, once);
  if (!parsed.success) throw new Error(`tool ${spec.name ?? '?'}: ${z.prettifyError(parsed.error)}`);
  return Object.freeze({ ...spec }) as unknown as Tool;
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

/** Also accepts a schema of another copy of zod, as an agent folder with its own node_modules has. */
function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '_zod' in value;
}
