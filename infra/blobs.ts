/** Where slots and tool results too large for a table item are kept. */

import { Duration } from 'aws-cdk-lib';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  HttpMethods,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { uploadsPrefix } from '../shared/contract/env.ts';
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
      lifecycleRules: [
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
        // What was uploaded for a message is the session's own by then, or nobody's.
        { prefix: `${uploadsPrefix}/`, expiration: Duration.days(1) },
      ],
      // Pages of any origin may use a signed link that they were given: without one, nobody reads or writes anything.
      cors: [
        {
          allowedOrigins: ['*'],
          allowedMethods: [HttpMethods.PUT, HttpMethods.GET],
          allowedHeaders: ['content-type'],
          maxAge: 3600,
        },
      ],
      removalPolicy,
    });
    accept(this, 'S1', 'Access logs would need a second bucket; every read is by a function that logs.');
  }
}
