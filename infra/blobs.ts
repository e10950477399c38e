/** The bucket for slots and tool results that are too large for a table item. */

import { Duration } from 'aws-cdk-lib';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  HttpMethods,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { mailPrefix, uploadsPrefix } from '../shared/contract/env.ts';
import { accept } from './accepted.ts';
import type { Config } from './config.ts';

/** Private, encrypted, TLS only, and kept as long as the table, whose slots may point here. */
export class BlobBucket extends Bucket {
  constructor(scope: Construct, id: string, { removalPolicy, encryptionKey, facts }: Config) {
    super(scope, id, {
      // A key of the bucket saves most calls of the key.
      ...(encryptionKey
        ? { encryption: BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true }
        : { encryption: BucketEncryption.S3_MANAGED }),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      lifecycleRules: [
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
        // By then, an upload is either content of a session or abandoned.
        { prefix: `${uploadsPrefix}/`, expiration: Duration.days(1) },
        // By then, a mail is content of a session, or its message is a dead letter whose time is over.
        ...(facts.mailboxes.length > 0 ? [{ prefix: `${mailPrefix}/`, expiration: Duration.days(14) }] : []),
      ],
      // Pages of any origin may use a signed link that they were given. Without a link, pages can read or write nothing.
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
