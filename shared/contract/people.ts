import * as z from 'zod';

/** The subject of a caller of the tenant: a signed-in person, an API key, a Slack user, or the holder of the API token. */
export const Subject = z
  .string()
  .regex(
    /^(user|key|slack):.|^operator$/,
    'must be a subject, as user:ada, key:acme.k3v9x0q2m1za or slack:T0123456:U0123456',
  )
  .max(300);

/** `erasing`: found data is still stored. `erased`: none is, and late writes are awaited. `done`: nothing is left, and nothing can come. */
export const erasureStates = ['erasing', 'erased', 'done'] as const;

/** `DELETE /people/{user}`, `GET /people/{user}`: how far the deletion of a person's data has got. */
export interface PersonErasure {
  /** Their subject, as in the request. */
  readonly user: string;
  /** Names the deletion in the log, which does not name the person. */
  readonly erasureId: string;
  readonly state: (typeof erasureStates)[number];
  /** ISO 8601. */
  readonly requestedAt: string;
  /** ISO 8601: some minutes after it the state is `done`, unless something is found until then. Absent while data is erased, and when it is done. */
  readonly goneBy?: string;
  /** ISO 8601; absent before the end. */
  readonly doneAt?: string;
  /** Sessions, as of the last sweep: those of which something is still stored, and those of which nothing is. */
  readonly sessions: { readonly left: number; readonly erased: number };
  /** Facts that were deleted. */
  readonly memories: number;
  /** Uploads of the last day that were deleted. */
  readonly uploads: number;
}
