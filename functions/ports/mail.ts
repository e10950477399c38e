import definition from '#definition';
import { clients } from '../../shared/aws/clients.ts';
import { createMailStore } from '../../shared/aws/mail.ts';
import { ObjectTooLarge } from '../../shared/aws/s3.ts';
import { priceOf } from '../../shared/models/prices.ts';
import type { MailContext } from '../mail/take.ts';
import { readEnv, s3Endpoint } from '../middleware/environment.ts';
import { outboundPorts } from './edge.ts';
import { sealing } from './sealing.ts';

/** Largest mail that is read, in bytes: as large as SES receives (its quotas, "Email receiving"). */
const MAX_BYTES = 40 * 1024 * 1024;

/** The ports of the function that takes mails. */
export function mailPorts(): MailContext {
  const { agents, email } = definition;
  if (!email) throw new Error('the definition has no email');
  const { io, dynamo } = outboundPorts(readEnv('TABLE_NAME', 'STEP_QUEUE_URL', 'BLOB_BUCKET'));
  // SES writes the objects, so they are not sealed.
  const s3 = clients.s3(s3Endpoint());
  return {
    ...{ io, agents, priceOf, config: email },
    store: createMailStore(dynamo, io.clock),
    read: (bucket, key) =>
      s3.getBytes(bucket, key, MAX_BYTES).catch((error: unknown) => {
        if (error instanceof ObjectTooLarge) return 'too_large' as const;
        throw error;
      }),
    empty: sealing() && ((bucket, key) => s3.put(bucket, key, '')),
  };
}
