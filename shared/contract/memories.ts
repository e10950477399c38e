import * as z from 'zod';

/** Whose memory: the caller's own, or the tenant's. */
export const memoryScopes = ['user', 'tenant'] as const;
const scope = z.enum(memoryScopes).default('user');

/** The id of one fact. Its first letter says whose it is: `u` a person's or key's, `t` the tenant's. */
export const MemoryId = z.string().regex(/^[ut][0-9a-f]{24}$/);

/** Facts of one page, when nothing is asked, and at most. */
const PAGE = 100;
const MAX_PAGE = 200;

/** `GET /memories` */
export const MemoriesQuery = z.strictObject({
  scope,
  /** What the facts are about. The newest come first without it, the best fitting with it. */
  q: z.string().max(500).default(''),
  /** The last id of the page before. */
  after: MemoryId.optional(),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(PAGE),
});

/** `DELETE /memories` */
export const ForgetQuery = z.strictObject({
  /** It must be said: all of what is there is forgotten. */
  scope: z.enum(memoryScopes),
  /** With scope `user`: the subject of somebody else of the tenant, whose facts an admin lets go without seeing them. */
  user: z
    .string()
    .regex(
      /^(user|key|slack):.|^operator$/,
      'must be a subject, as user:ada, key:acme.k3v9x0q2m1za or slack:T0123456:U0123456',
    )
    .max(300)
    .optional(),
});
