/** Where slots and tool results too large for a table item are kept. */

import { Duration } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { accept } from './accepted.ts';
import type { Config } from './config.ts';

/** Private, encrypted, TLS only, and kept as long as the table is: a slot in there may point here. */
export class BlobBucket extends Bucket {
  constructor(scope: Construct, id: string, { removalPolicy }: Config) {
    super(scope, id, {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      lifecycleRules: [{ abortIncompleteMultipartUploadAfter: Duration.days(1) }],
      removalPolicy,
    });
    accept(this, 'S1', 'Access logs would need a second bucket; every read is by a function that logs.');
  }
}
