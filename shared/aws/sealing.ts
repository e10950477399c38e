/** Data keys of tenants, where the deployment has them (`tenantKeys`). Their code is loaded with the first use. */

import type { Clients } from './clients.ts';
import type { Dynamo } from './dynamo.ts';
import { once } from './once.ts';
import type { S3 } from './s3.ts';
import type { KeySettings, Opened } from './sealed.ts';

export type { KeySettings };

/** The adapters of an environment, with contents sealed. */
export interface Sealing {
  readonly open: () => Promise<Opened>;
  table(dynamo: Dynamo): Dynamo;
  objects(s3: S3): S3;
}

export function openSealing(settings: KeySettings, clients: Pick<Clients, 'dynamo'>): Sealing {
  const open = once(async () => (await import('./sealed.ts')).openSealed(settings, clients));
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
