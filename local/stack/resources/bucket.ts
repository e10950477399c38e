import { globalArn, physicalName } from '../identity.ts';
import type { Created, Site } from '../site.ts';
import { type Declared, optionalText } from '../template/properties.ts';

/** AWS::S3::Bucket. Accepted and ignored: encryption, public access, versioning, lifecycle rules. */
export function createBucket(item: Declared, site: Site): Created {
  const name = optionalText(item, 'BucketName') ?? physicalName(site.stackName, item.id, 63).toLowerCase();
  site.createBucket(name);
  return { ref: name, attributes: { Arn: globalArn('s3', name, '') } };
}
