/** Puts together the code that seals. Loaded with its first use. */

import type { TenantKeys } from '../edge/tenant-keys.ts';
import { wallClock } from '../wall-clock.ts';
import type { Clients } from './clients.ts';
import { createDynamo, type Dynamo } from './dynamo.ts';
import { createKms } from './kms.ts';
import type { S3 } from './s3.ts';
import { sealedDynamo } from './sealed-dynamo.ts';
import { sealedS3 } from './sealed-s3.ts';
import type { SignerConfig } from './signer.ts';
import { createTenantKeys, type Sealers } from './tenant-keys.ts';

export interface KeySettings {
  /** Name of the table of keys. */
  readonly table: string;
  /** ARN of the KMS key that wraps them. */
  readonly keyArn: string;
  /** Another endpoint of KMS than AWS's. */
  readonly endpoint?: string | undefined;
}

export interface Opened {
  readonly keys: TenantKeys & Sealers;
  /** The table of keys itself. */
  readonly keyTable: Dynamo;
  table(dynamo: Dynamo): Dynamo;
  objects(s3: S3): S3;
}

export function openSealed(settings: KeySettings, clients: Pick<Clients, 'dynamo'>): Opened {
  const { table, keyArn, endpoint } = settings;
  const client = clients.dynamo();
  const keyTable = createDynamo(client, table);
  const kms = createKms({ identity: client.config as SignerConfig, keyArn, endpoint });
  const keys = createTenantKeys({ dynamo: keyTable, kms, clock: wallClock });
  return {
    keys,
    keyTable,
    table: (dynamo) => sealedDynamo(dynamo, keys),
    objects: (s3) => sealedS3(s3, keys),
  };
}
