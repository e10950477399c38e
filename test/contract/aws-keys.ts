import { type LocalKms, startKms } from '../../local/stack/services/kms.ts';
import type { Clock } from '../../shared/agent/ports/ports.ts';
import { createDynamo, type Dynamo } from '../../shared/aws/dynamo.ts';
import { createKms, type Kms } from '../../shared/aws/kms.ts';
import { patiently } from '../../shared/aws/patiently.ts';
import type { S3 } from '../../shared/aws/s3.ts';
import { sealedDynamo } from '../../shared/aws/sealed-dynamo.ts';
import { sealedS3 } from '../../shared/aws/sealed-s3.ts';
import { signerOf } from '../../shared/aws/signer.ts';
import { createTenantKeys, type Sealers } from '../../shared/aws/tenant-keys.ts';
import type { TenantKeys } from '../../shared/edge/tenant-keys.ts';
import { wallClock } from '../../shared/wall-clock.ts';
import type { EmbeddedAws } from '../support/embedded-aws.ts';

/** Tenants' keys over the embedded services, and what they seal. */
export interface EmbeddedKeys {
  readonly kms: Kms;
  /** Keys of a new table, as one environment has them, or of the given one. */
  openKeys(
    clock?: Pick<Clock, 'now'>,
    table?: string,
  ): Promise<Sealers & TenantKeys & { readonly keyTable: Dynamo }>;
  /** A new table whose contents are sealed, and what is stored in it. */
  openTable(): Promise<{ readonly name: string; readonly dynamo: Dynamo; readonly plain: Dynamo }>;
  s3(): S3;
  stop(): Promise<void>;
}

export async function startEmbeddedKeys(aws: EmbeddedAws): Promise<EmbeddedKeys> {
  const local: LocalKms = await startKms(undefined);
  const keyArn = 'arn:aws:kms:us-east-1:000000000000:key/0a1b2c3d-0a1b-4c2d-8e3f-0a1b2c3d4e5f';
  const kms = kmsAt(local.endpoint, keyArn);
  const openKeys: EmbeddedKeys['openKeys'] = async (clock = wallClock, table) => {
    const keyTable = createDynamo(aws.clients.dynamo(), table ?? (await aws.createTable()));
    return { ...createTenantKeys({ dynamo: keyTable, kms, clock }), keyTable };
  };
  const keys = await openKeys();
  return {
    kms,
    openKeys,
    async openTable() {
      const name = await aws.createTable();
      const plain = createDynamo(aws.clients.dynamo(), name);
      return { name, plain, dynamo: sealedDynamo(plain, keys) };
    },
    s3: () => sealedS3(aws.clients.s3(), keys),
    stop: () => local.stop(),
  };
}

/** A client of KMS with an identity of its own. */
export function kmsAt(endpoint: string, keyArn: string, secretAccessKey = 'test'): Kms {
  const region = async () => 'us-east-1';
  const signer = signerOf({ region, credentials: async () => ({ accessKeyId: 'test', secretAccessKey }) });
  return createKms({ signer, region, keyArn, endpoint, patiently });
}
