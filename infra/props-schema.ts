/** The props of a `Steploop` as a schema, with their defaults. */

import { Token } from 'aws-cdk-lib';
import * as z from 'zod';
import { computeProps } from './compute.ts';
import { laneProps, MOST_STEPS } from './lanes.ts';

/** A number from `least` to `most`, or a token, whose value is known only at deploy time. */
const number = (least: number, most: number, whole = true) =>
  z
    .number()
    .refine(
      (value) =>
        Token.isUnresolved(value) || (value >= least && value <= most && (!whole || Number.isInteger(value))),
      `must be a ${whole ? 'whole number' : 'number'} ${most === Number.POSITIVE_INFINITY ? `of ${least} or more` : `from ${least} to ${most}`}`,
    );
const unlimited = Number.POSITIVE_INFINITY;

/** CloudFront takes only these. */
const GLOBAL_ACL = /^arn:aws[\w-]*:wafv2:us-east-1:\d{12}:global\/webacl\/[\w-]+\/[\w-]+$/;

/** Constructs and enums of the CDK, which their types describe well enough. */
const given = z.any().optional();

const text = z.string().min(1);
const url = z.string().refine((value) => Token.isUnresolved(value) || /^https?:\/\/.+/.test(value), {
  error: 'must be a URL that starts with https:// or http://',
});

const domainName = z.strictObject({ name: text, certificate: z.any(), zone: given });

/** Repeats the types of `props.ts` at run time, for users of JavaScript, and adds the rules that types cannot express. */
export const Props = z.strictObject({
  definition: text,
  name: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'use 1 to 64 letters, digits, - and _')
    .optional(),
  settings: z.record(z.string(), z.string()).default({}),
  modelUrls: z.record(z.string(), url).default({}),
  identity: z
    .strictObject({
      // Plain HTTP only on this machine: for the laptop.
      issuer: z
        .string()
        .refine(
          (value) =>
            Token.isUnresolved(value) || /^https:\/\/.+|^http:\/\/127\.0\.0\.1(:[0-9]+)?(\/.*)?$/.test(value),
          'must be a URL that starts with https://',
        )
        .optional(),
      audiences: z
        .array(z.string().regex(/^[^,]+$/, 'must not contain a comma'))
        .min(1, 'name at least one audience')
        .optional(),
    })
    .default({}),
  slackClientId: text.optional(),
  mailRuleSet: text.optional(),
  concurrency: z
    .strictObject({
      steps: number(2, MOST_STEPS).default(50),
      tools: number(2, 1000).default(20),
      slack: number(2, 1000).default(50),
      callbacks: number(2, 1000).default(50),
      agui: z
        .union(
          [z.literal('unreserved'), number(1, unlimited)],
          "must be a whole number of 1 or more, or 'unreserved'",
        )
        .optional(),
    })
    .prefault({}),
  requests: z
    .strictObject({
      // Large enough to accept a burst of webhooks, because most of their senders send once.
      http: number(1, 100_000).default(2_000),
      socket: number(1, 100_000).default(500),
    })
    .prefault({}),
  stepLeaseSeconds: number(2, 300).default(60),
  budgets: z
    .strictObject({
      tokensPerDay: number(0, unlimited).default(0),
      usdPerDay: number(0, unlimited, false).default(0),
      stepsPerDay: number(0, unlimited).default(0),
    })
    .prefault({}),
  limits: z
    .strictObject({
      // Each is spread over as many items as it needs: shared/aws/spread.ts.
      messagesPerMinute: number(1, 30_000_000).default(600),
      // Half of all requests that the HTTP API takes by default.
      requestsPerSecond: number(10, 100_000).default(1_000),
      sessionsAtOnce: number(1, 1_000_000).default(200),
      streamsAtOnce: number(1, 100_000).default(100),
      // Below the timeout of the function.
      watchSeconds: number(5, 880).default(120),
    })
    .prefault({}),
  vpc: z
    .strictObject({
      vpc: z.any(),
      subnets: given,
      securityGroups: given,
      functions: z.enum(['tools', 'all', 'managed']).optional(),
    })
    .optional(),
  ...computeProps,
  ...laneProps,
  agui: z.strictObject({ access: z.enum(['public', 'cloudfront', 'iam']).optional() }).default({}),
  webAcl: z
    .string()
    .refine((value) => Token.isUnresolved(value) || GLOBAL_ACL.test(value), {
      error:
        'must be the ARN of a web ACL of the scope CLOUDFRONT, as arn:aws:wafv2:us-east-1:111111111111:global/webacl/name/id; one of the scope REGIONAL protects nothing here',
    })
    .optional(),
  domain: z.strictObject({ http: domainName.optional(), socket: domainName.optional() }).default({}),
  console: z
    .union([
      z.literal(false),
      z.strictObject({
        clientId: text.optional(),
        origins: z
          .array(
            z.string().regex(/^https:\/\/[^\s;,/]+$/, 'must be an origin such as https://id.example.com'),
          )
          .optional(),
      }),
    ])
    .default({}),
  alarms: z
    .union([
      z.literal(false),
      z.strictObject({
        topic: given,
        email: z
          .string()
          .refine((value) => Token.isUnresolved(value) || /^[^@\s]+@[^@\s]+$/.test(value), {
            error: 'must be an e-mail address',
          })
          .optional(),
      }),
    ])
    .default({}),
  dashboard: z.boolean().default(true),
  telemetry: z
    .strictObject({ endpoint: url, headersSecret: given, content: z.boolean().optional() })
    .optional(),
  retention: z.strictObject({ sessionsDays: number(1, 36_500).optional() }).default({}),
  logRetention: given,
  encryptionKey: given,
  tenantKeys: z.boolean().default(false),
  removalPolicy: given,
  deletionProtection: z.boolean().default(false),
  pointInTimeRecovery: z.boolean().default(true),
});
