import * as z from 'zod';
import { MAX_TITLE } from './listing.ts';
import { AgentName, reasons, states } from './session.ts';

/** A session's title in lists. */
const Title = z.string().trim().min(1, 'must not be empty').max(MAX_TITLE);

/** Facts of its users about a session, as text: 16 at most. They are listed, and no model reads them. */
const Metadata = z
  .record(z.string().min(1).max(64), z.string().max(256))
  .refine((metadata) => Object.keys(metadata).length <= 16, 'must have 16 entries at most');

/** Fields beside the first message in `POST /sessions`. */
export const called = {
  /** The first line of its first message when absent. */
  title: Title.optional(),
  metadata: Metadata.optional(),
};

/** `PATCH /sessions/{sessionId}` */
export const RenameBody = z
  .strictObject({
    title: Title.optional(),
    /** Replaces all of its metadata. */
    metadata: Metadata.optional(),
  })
  .refine(({ title, metadata }) => title !== undefined || metadata !== undefined, 'must change something');

/** `GET /sessions` */
export const SessionsQuery = z.strictObject({
  /** One or several, with commas between. */
  state: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(states)).min(1).max(states.length))
    .optional(),
  /** Why its last run ended, or waits. */
  reason: z.enum(reasons).optional(),
  agent: AgentName.optional(),
  /** `http`, `ag-ui`, `slack`, or `webhook:` and the webhook's name. */
  source: z.string().max(100).optional(),
  /** Subject of the caller who started it. Callers who see only their own sessions may omit it. */
  user: z.string().max(300).optional(),
  /** Words of the title. */
  q: z.string().max(200).optional(),
  /** ISO 8601: sessions with activity at or after, and before, this time. */
  since: z.iso.datetime({ offset: true }).optional(),
  until: z.iso.datetime({ offset: true }).optional(),
  /** `next` of the page before. */
  cursor: z
    .string()
    .regex(/^\d{15}#?[A-Za-z0-9_-]{0,64}$/, 'must be the `next` of a page')
    .optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
