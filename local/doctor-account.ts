/** Reads the limits and listeners of an AWS account, with the credentials of this machine, over signed requests: these few need no SDK. */

import { SQSClient } from '@aws-sdk/client-sqs';
import { SignatureV4 } from '@smithy/signature-v4';
import * as z from 'zod';

/** The account and region of a deployment, as `steploop doctor` reads them. */
export interface AccountReader {
  /**
   * How many functions the account may run at once in the region of a queue, and how many of them no function has reserved:
   * https://docs.aws.amazon.com/lambda/latest/api/API_GetAccountSettings.html
   */
  concurrency(queueUrl: string): Promise<{ readonly limit: number; readonly unreserved: number }>;
  /**
   * How many steps the mappings of a deployment's step queues run at once, given one of these queues; undefined if they have no
   * limit: https://docs.aws.amazon.com/lambda/latest/api/API_ListEventSourceMappings.html
   */
  stepsAtOnce(queueUrl: string): Promise<number | undefined>;
  /** Subscribers of a topic: https://docs.aws.amazon.com/sns/latest/api/API_GetTopicAttributes.html */
  listeners(topicArn: string): Promise<{ readonly confirmed: number; readonly pending: number }>;
}

const PATIENCE_MS = 15_000;

const Settings = z.object({
  AccountLimit: z.object({ ConcurrentExecutions: z.number(), UnreservedConcurrentExecutions: z.number() }),
});
const Mappings = z.object({
  EventSourceMappings: z.array(
    z.object({
      FunctionArn: z.string(),
      ScalingConfig: z.object({ MaximumConcurrency: z.number().optional() }).optional(),
    }),
  ),
});

/** @param options for tests: by default the credentials of this machine, and AWS */
export function accountReader({ endpoint, credentials }: Options = {}): AccountReader {
  async function get(service: string, region: string, path: string, query: Record<string, string>) {
    const url = new URL(path, endpoint ?? `https://${service}.${region}.amazonaws.com`);
    const { config } = new SQSClient({ region, ...(credentials && { credentials }) });
    const signer = new SignatureV4({
      ...{ service, region },
      ...{ credentials: config.credentials, sha256: config.sha256 },
    });
    const { headers } = await signer.sign({
      method: 'GET',
      protocol: url.protocol,
      hostname: url.hostname,
      ...(url.port && { port: Number(url.port) }),
      path: url.pathname,
      query,
      headers: { host: url.host },
    });
    url.search = new URLSearchParams(query).toString();
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE_MS) });
    const text = await response.text();
    if (!response.ok) throw new Error(`HTTP ${response.status}: ${text.slice(0, 300)}`);
    return text;
  }

  const mappings = async (region: string, query: Record<string, string>) => {
    const text = await get('lambda', region, '/2015-03-31/event-source-mappings/', query);
    return Mappings.parse(JSON.parse(text)).EventSourceMappings;
  };

  return {
    async concurrency(queueUrl) {
      const text = await get('lambda', queueOf(queueUrl).region, '/2016-08-19/account-settings/', {});
      const { ConcurrentExecutions, UnreservedConcurrentExecutions } = Settings.parse(
        JSON.parse(text),
      ).AccountLimit;
      return { limit: ConcurrentExecutions, unreserved: UnreservedConcurrentExecutions };
    },
    async stepsAtOnce(queueUrl) {
      const { region, arn } = queueOf(queueUrl);
      const [one] = await mappings(region, { EventSourceArn: arn });
      if (!one) return undefined;
      const all = await mappings(region, { FunctionName: one.FunctionArn });
      const limits = all.map(({ ScalingConfig }) => ScalingConfig?.MaximumConcurrency);
      return limits.reduce<number | undefined>(
        (sum, most) => (sum === undefined || most === undefined ? undefined : sum + most),
        0,
      );
    },
    async listeners(TopicArn) {
      const [, , , region = ''] = TopicArn.split(':');
      const xml = await get('sns', region, '/', {
        ...{ Action: 'GetTopicAttributes', Version: '2010-03-31', TopicArn },
      });
      const count = (name: string) =>
        Number(new RegExp(`<key>${name}</key>\\s*<value>(\\d+)</value>`).exec(xml)?.[1] ?? 0);
      return { confirmed: count('SubscriptionsConfirmed'), pending: count('SubscriptionsPending') };
    },
  };
}

interface Options {
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** `https://sqs.<region>.amazonaws.com/<account>/<name>` */
function queueOf(url: string): { readonly region: string; readonly arn: string } {
  const [, region = '', account = '', name = ''] =
    /\/\/sqs\.([a-z0-9-]+)\.[^/]+\/(\d+)\/(.+)$/.exec(url) ?? [];
  return { region, arn: `arn:aws:sqs:${region}:${account}:${name}` };
}
