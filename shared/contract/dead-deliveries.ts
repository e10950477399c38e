import * as z from 'zod';

/** The id of one dead delivery. */
export const DeadDeliveryId = z.string().regex(/^[0-9a-f]{32}$/);

/** Characters of a body that `GET /hooks/dead/{deliveryId}` shows. */
export const MAX_SHOWN_BODY = 200_000;

/** A place in the list, which is in order of arrival. */
export interface DeadCursor {
  /** Epoch ms. */
  readonly at: number;
  readonly id: string;
}
export const writeDeadCursor = ({ at, id }: DeadCursor): string => `${at}.${id}`;

const cursor = z
  .string()
  .regex(/^\d{1,15}\.[0-9a-f]{32}$/, 'must be the `next` of a page')
  .transform((text): DeadCursor => {
    const [at = '', id = ''] = text.split('.');
    return { at: Number(at), id };
  });

/** Filters: one source, and the deliveries after a place. */
const some = { source: z.string().min(1).max(200).optional(), after: cursor.optional() };

/** `GET /hooks/dead?source=&after=&limit=` */
export const DeadQuery = z.strictObject({
  ...some,
  limit: z.coerce.number().int().min(1).max(500).default(100),
});

/** `POST /hooks/dead/redrive` */
export const RedriveBody = z.strictObject(some);
