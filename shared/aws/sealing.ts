/** Data keys of tenants, where the deployment has them (`tenantKeys`). Their code is loaded with the first use. */

import { wallClock } from '../wall-clock.ts';
import type { Clients } from './clients.ts';
import { createDynamo, type Dynamo } from './dynamo.ts';
import { once } from './once.ts';
import { patiently } from './patiently.ts';
import type { S3 } from './s3.ts';
import type { Opened } from './sealed.ts';

export interface KeySettings {
  /** Name of the table of keys. */
  readonly table: string;
  /** ARN of the KMS key that wraps them. */
  readonly keyArn: string;
  /** Another endpoint of KMS than AWS's. */
  readonly endpoint?: string | undefined;
}

/** The adapters of an environment, with contents sealed. */
export interface Sealing {
  readonly open: () => Promise<Opened>;
  table(dynamo: Dynamo): Dynamo;
  objects(s3: S3): S3;
}

export function openSealing({ table, ...kms }: KeySettings, clients: Pick<Clients, 'dynamo'>): Sealing {
  const open = once(async () => {
    const client = clients.dynamo();
    const { signer, region } = client.config;
    const keyTable = createDynamo(client, table);
    const { openSealed } = await import('./sealed.ts');
    return openSealed({ ...kms, keyTable, signer: signer as never, region, patiently, clock: wallClock });
  });
  return {
    open,
    table(dynamo) {
      const sealed = once(async () => (await open()).table(dynamo));
      return {
        get: async (...asked) => (await sealed()).get(...asked),
        getAll: async (...asked) => (await sealed()).getAll(...asked),
        put: async (...asked) => (await sealed()).put(...asked),
        update: async (update) => (await sealed()).update(update),
        remove: async (...asked) => (await sealed()).remove(...asked),
        async *range(...asked) {
          yield* (await sealed()).range(...asked);
        },
        async *index(query) {
          yield* (await sealed()).index(query);
        },
      };
    },
    objects(s3) {
      const sealed = once(async () => (await open()).objects(s3));
      return {
        put: async (...asked) => (await sealed()).put(...asked),
        get: async (...asked) => (await sealed()).get(...asked),
        getBytes: async (...asked) => (await sealed()).getBytes(...asked),
        has: s3.has,
      };
    },
  };
}
