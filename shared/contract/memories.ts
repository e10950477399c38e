import * as z from 'zod';
import { Subject } from './people.ts';

/** The owner of a memory: the caller, or the tenant. */
export const memoryScopes = ['user', 'tenant'] as const;
const scope = z.enum(memoryScopes).default('user');

/** The id of one fact. Its first letter names the owner: `u` a person or key, `t` the tenant. */
export const MemoryId = z.string().regex(/^[ut][0-9a-f]{24}$/);

/** Facts of one page, by default, and at most. */
const PAGE = 100;
const MAX_PAGE = 200;

/** `GET /memories` */
export const MemoriesQuery = z.strictObject({
  scope,
  /** The subject of the facts. Without it the newest come first, with it the best matches. */
  q: z.string().max(500).default(''),
  /** The last id of the page before. */
  after: MemoryId.optional(),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(PAGE),
});

/** `DELETE /memories` */
export const ForgetQuery = z.strictObject({
  /** Required, because the whole memory is deleted. */
  scope: z.enum(memoryScopes),
  /**
   * With scope `user`: the subject of another user of the tenant, whose facts an administrator deletes without seeing
   * them.
   */
  user: Subject.optional(),
});
