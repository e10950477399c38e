/**
 * AWS's prices for what a step uses, in USD: US East (N. Virginia), without free tiers, discounts and taxes. Other
 * regions differ by some tenths, and so does the sum. The numbers are from AWS's price pages
 * (aws.amazon.com/lambda/pricing, /dynamodb/pricing/on-demand, /sqs/pricing, /api-gateway/pricing, /s3/pricing,
 * /cloudwatch/pricing, /ec2/pricing/on-demand), by copies and digests of them from November 2026: check those pages
 * before you rely on a sum.
 */
export const rates = {
  /** DynamoDB on demand, a million units: a write of 1 KB, a strongly consistent read of 4 KB. */
  writes: 0.625,
  reads: 0.125,
  /** SQS standard queues, a million requests of up to 64 KB. */
  queueRequests: 0.4,
  /** API Gateway's WebSocket APIs, a million messages of up to 32 KB, and a million minutes of connections. */
  pushes: 1,
  connectionMinutes: 0.25,
  /** Its HTTP APIs, a million requests of up to 512 KB. */
  httpRequests: 1,
  /** Lambda on ARM: a million requests, and a million GB-seconds. */
  invocations: 0.2,
  gbSeconds: 13.3334,
  /** S3, a million PUT and LIST, and a million GET. */
  puts: 5,
  gets: 0.4,
  /** CloudWatch Logs, a million KB ingested. */
  logKb: 0.5,
  /**
   * Lambda Managed Instances: a c8g.large by the hour, of 4 GiB, and Lambda's fee on top of it. The used share of an
   * environment's concurrency depends on the traffic; half is assumed.
   */
  managed: { instanceHour: 0.07976, instanceGib: 4, fee: 0.15, used: 0.5 },
} as const;

/** The price in USD of a GiB of memory for a second on Lambda Managed Instances. */
export function managedGibSecond(): number {
  const { instanceHour, instanceGib, fee } = rates.managed;
  return (instanceHour * (1 + fee)) / instanceGib / 3600;
}
