import { globalArn, physicalName } from '../identity.ts';
import type { Created, Site } from '../site.ts';
import { type Declared, nested, nestedList, optionalText, texts } from '../template/properties.ts';

/** AWS::S3::Bucket. Accepted and ignored: encryption, public access, versioning, lifecycle rules. */
export function createBucket(item: Declared, site: Site): Created {
  const name = optionalText(item, 'BucketName') ?? physicalName(site.stackName, item.id, 63).toLowerCase();
  const rules = nestedList(nested(item, 'CorsConfiguration'), 'CorsRules').map((rule) => ({
    origins: texts(rule, 'AllowedOrigins'),
    methods: texts(rule, 'AllowedMethods'),
    headers: texts(rule, 'AllowedHeaders').map((name) => name.toLowerCase()),
  }));
  site.createBucket(name, rules);
  return { ref: name, attributes: { Arn: globalArn('s3', name, '') } };
}
