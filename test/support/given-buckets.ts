import { CreateBucketCommand, PutBucketCorsCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { CorsRule } from '../../local/stack/services/presigned.ts';

/** Creates a bucket on another S3 than the embedded one. Without rules, pages of other origins cannot use its links. */
export async function createBucketAt(
  endpoint: string,
  identity: Pick<S3ClientConfig, 'region' | 'credentials'>,
  Bucket: string,
  rules: readonly CorsRule[],
): Promise<void> {
  const s3 = new S3Client({ ...identity, endpoint, forcePathStyle: true });
  await s3.send(new CreateBucketCommand({ Bucket }));
  const CORSRules = rules.map(({ origins, methods, headers }) => ({
    AllowedOrigins: [...origins],
    AllowedMethods: [...methods],
    AllowedHeaders: [...headers],
  }));
  if (CORSRules.length > 0)
    await s3.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }));
  s3.destroy();
}
