/** Deletes the uploads of a person. The sweeper loads it when someone's data is to be deleted. */

import { blobKey } from '../agent/plain/blob-key.ts';
import type { Clock } from '../agent/ports/ports.ts';
import { uploadsPrefix } from '../contract/env.ts';
import { UPLOAD_SECONDS, type UploadsOfPeople } from '../edge/uploads.ts';
import type { Dynamo } from './dynamo.ts';
import { endOf, uploadKey } from './layout.ts';
import { personPk, uploadOfKey, uploadOfPrefix } from './people-layout.ts';
import type { Purge } from './purge.ts';

export function createUploadsOfPeople(
  dynamo: Dynamo,
  clock: Pick<Clock, 'now'>,
  purge: Purge,
): UploadsOfPeople {
  return {
    async forget(tenant, by) {
      const person = { tenant, user: by };
      let forgotten = 0;
      for await (const { id, at } of dynamo.range(personPk(person), uploadOfPrefix, endOf(uploadOfPrefix))) {
        const removed = await dynamo.remove(uploadKey(tenant, id), ['attribute_exists(#pk)']);
        if (removed.kind === 'written') forgotten += 1;
        // Ids have one length, so no other upload's key starts with this one.
        await purge(blobKey(uploadsPrefix, tenant, id));
        const isOver = clock.now() > at + UPLOAD_SECONDS * 1000;
        if (isOver) await dynamo.remove(uploadOfKey(person, id), []);
      }
      return forgotten;
    },
  };
}
