/** The account of the embedded stack, and its resource names. */
import { createHash } from 'node:crypto';

/** Every local resource is in this region. The embedded SQS and DynamoDB take it from request signatures. */
export const REGION = 'us-east-1';

/** The account id that the embedded SQS puts into its ARNs and URLs. */
export const ACCOUNT = '000000000000';

/** An ARN in the local account and region. */
export function arnOf(service: string, resource: string): string {
  return `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;
}

/** An ARN of a service without regions (IAM), or without region and account (S3, when `account` is empty). */
export function globalArn(service: string, resource: string, account = ACCOUNT): string {
  return `arn:aws:${service}::${account}:${resource}`;
}

/** A short id in lower case that is the same at every start, in the format of API Gateway's ids. */
export function stableId(stackName: string, logicalId: string): string {
  const digest = createHash('sha256').update(`${stackName}/${logicalId}`).digest('hex');
  return BigInt(`0x${digest}`).toString(36).slice(0, 10);
}

/** The physical name of a resource whose template does not name it: stable between starts, cut to `limit`. */
export function physicalName(stackName: string, logicalId: string, limit: number): string {
  return `${stackName}-${logicalId}`.slice(-limit).replace(/^-+/, '');
}
