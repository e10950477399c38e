/** Puts together the code that seals. Loaded with its first use; parts that every function has are handed in, so that they stay in its bundle. */

import type { Clock } from '../agent/ports/ports.ts';
import type { TenantKeys } from '../edge/tenant-keys.ts';
import type { Dynamo } from './dynamo.ts';
import { createKms, type KmsOptions } from './kms.ts';
import type { S3 } from './s3.ts';
import { sealedDynamo } from './sealed-dynamo.ts';
import { sealedS3 } from './sealed-s3.ts';
import { createTenantKeys, type Sealers } from './tenant-keys.ts';

export interface SealedOptions extends KmsOptions {
  /** The table of keys. */
  readonly keyTable: Dynamo;
  readonly clock: Pick<Clock, 'now'>;
}

export interface Opened {
  readonly keys: TenantKeys & Sealers;
  /** The table of keys itself. */
  readonly keyTable: Dynamo;
  table(dynamo: Dynamo): Dynamo;
  objects(s3: S3): S3;
}

export function openSealed({ keyTable, clock, ...options }: SealedOptions): Opened {
  const keys = createTenantKeys({ dynamo: keyTable, kms: createKms(options), clock });
  return {
    keys,
    keyTable,
    table: (dynamo) => sealedDynamo(dynamo, keys),
    objects: (s3) => sealedS3(s3, keys),
  };
}
