/** The props of a `Steploop` with their defaults, checked against its definition. */

import { Names, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import * as z from 'zod';
import type { DeploymentFacts, IdentityFacts } from '../shared/contract/facts.ts';
import { type ComputeConfig, computeProps, computeWrong, memoryOf } from './compute.ts';
import { WrongDefinition } from './definition/wrong.ts';
import { type LanesConfig, laneProps, lanesWrong, MOST_STEPS } from './lanes.ts';
import type {
  AguiAccess,
  AlarmProps,
  ConsoleProps,
  DomainProps,
  SteploopProps,
  TelemetryProps,
  VpcProps,
} from './props.ts';

export interface Config extends ComputeConfig, LanesConfig {
  /** Unique among all deployments of an account. */
  readonly name: string;
  readonly facts: DeploymentFacts;
  /** Values that override the definition's own. */
  readonly settings: Readonly<Record<string, string>>;
  readonly modelUrls: Readonly<Record<string, string>>;
  readonly identity: IdentityFacts | undefined;
  readonly slackClientId: string | undefined;
  readonly mailRuleSet: string | undefined;
  readonly concurrency: {
    readonly steps: number;
    readonly tools: number;
    readonly slack: number;
    readonly callbacks: number;
    readonly agui: number | undefined;
  };
  readonly agui: { readonly access: AguiAccess };
  readonly webAcl: string | undefined;
  readonly requests: { readonly http: number; readonly socket: number };
  readonly stepLeaseSeconds: number;
  readonly budgets: {
    readonly tokensPerDay: number;
    readonly usdPerDay: number;
    readonly stepsPerDay: number;
  };
  readonly limits: {
    readonly messagesPerMinute: number;
    readonly requestsPerSecond: number;
    readonly sessionsAtOnce: number;
    readonly streamsAtOnce: number;
    readonly watchSeconds: number;
  };
  readonly vpc: VpcProps | undefined;
  readonly domain: DomainProps;
  readonly console: ConsoleProps | false;
  readonly alarms: AlarmProps | false;
  readonly dashboard: boolean;
  readonly telemetry: TelemetryProps | undefined;
  readonly retention: { readonly sessionsDays: number | undefined };
  readonly logRetention: RetentionDays;
  readonly encryptionKey: IKey | undefined;
  readonly tenantKeys: boolean;
  readonly removalPolicy: RemovalPolicy;
  readonly deletionProtection: boolean;
  readonly pointInTimeRecovery: boolean;
}

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
/** Reserved concurrency of AG-UI: twice the default of responses that one tenant may have open; a usual account has 1,000 in all. */
const AGUI_AT_ONCE = 200;

/** Constructs and enums of the CDK, which their types describe well enough. */
const given = z.any().optional();

const text = z.string().min(1);
const url = z.string().refine((value) => Token.isUnresolved(value) || /^https?:\/\/.+/.test(value), {
  error: 'must be a URL that starts with https:// or http://',
});

const domainName = z.strictObject({ name: text, certificate: z.any(), zone: given });

/** Repeats the types of the props at run time, for users of JavaScript, and adds the rules that types cannot express. */
const Props = z.strictObject({
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

/** Throws {@link WrongDefinition} if the props are wrong or do not fit the definition. */
export function configOf(scope: Construct, props: SteploopProps, facts: DeploymentFacts): Config {
  const place = `Steploop ${scope.node.path}`;
  const parsed = Props.safeParse(props);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path, message }) =>
      path.length === 0 ? message : `${path.join('.')}: ${message}`,
    );
    throw new WrongDefinition(`${place}: ${wrong.join('; ')}`);
  }
  const { definition: _, name, identity, memory: given, ...rest } = parsed.data;
  const { agui: saidAgui } = rest.concurrency;
  const reservedAgui = saidAgui === 'unreserved' ? undefined : saidAgui;
  const memory = memoryOf(given, rest.compute, rest.managed, facts);
  const wrong = [
    ...settingsWrong(rest.settings, facts),
    ...unknown('modelUrls', rest.modelUrls, facts.models, 'no model server'),
    ...(Object.keys(identity).length > 0 && !facts.identity
      ? ['identity: the definition has none, so JWTs are not accepted']
      : []),
    ...lanesWrong(rest, rest.concurrency.steps),
    ...computeWrong({ ...rest, memory }, rest.vpc !== undefined, reservedAgui),
    ...edgeWrong(rest, facts),
    ...(rest.console && rest.console.clientId !== undefined && !facts.identity
      ? ['console.clientId: the definition has no identity, so JWTs are not accepted']
      : []),
    ...(rest.tenantKeys && !rest.encryptionKey
      ? ["tenantKeys: a KMS key must wrap them, so give one: encryptionKey: new Key(this, 'Key')"]
      : []),
    ...(rest.slackClientId !== undefined && !facts.slack
      ? ['slackClientId: the definition has no slack']
      : []),
    ...(rest.mailRuleSet !== undefined && facts.mailboxes.length === 0
      ? ['mailRuleSet: the definition has no email']
      : []),
  ];
  if (wrong.length > 0) throw new WrongDefinition(`${place}: ${wrong.join('; ')}`);
  return {
    ...rest,
    facts,
    memory,
    name: name ?? nameOf(scope),
    identity: facts.identity && {
      ...facts.identity,
      ...(identity.issuer !== undefined && { issuer: identity.issuer }),
      ...(identity.audiences && { audiences: identity.audiences }),
    },
    slackClientId: rest.slackClientId,
    mailRuleSet: rest.mailRuleSet,
    concurrency: {
      ...rest.concurrency,
      agui: saidAgui === undefined && rest.compute.agui === 'lambda' ? AGUI_AT_ONCE : reservedAgui,
    },
    agui: { access: rest.agui.access ?? (rest.webAcl === undefined ? 'public' : 'cloudfront') },
    webAcl: rest.webAcl,
    vpc: rest.vpc as VpcProps | undefined,
    domain: rest.domain as DomainProps,
    console: rest.console as ConsoleProps | false,
    alarms: rest.alarms as AlarmProps | false,
    telemetry: rest.telemetry as TelemetryProps | undefined,
    retention: { sessionsDays: rest.retention.sessionsDays },
    encryptionKey: rest.encryptionKey as IKey | undefined,
    logRetention: rest.logRetention ?? RetentionDays.ONE_MONTH,
    removalPolicy: rest.removalPolicy ?? RemovalPolicy.RETAIN,
  };
}

/** A name from the stack and the path to the construct. It gets a hash if it is too long or not known yet. */
function nameOf(scope: Construct): string {
  const { stackName, node } = Stack.of(scope);
  const way = scope.node.scopes.slice(node.scopes.length).map((above) => above.node.id);
  const name = [stackName, ...way].join('-').replaceAll(/[^\w-]/g, '-');
  if (!Token.isUnresolved(stackName) && name.length <= 64) return name;
  return Names.uniqueResourceName(scope, { maxLength: 64, separator: '-', allowedSpecialCharacters: '-_' });
}

/** Addresses that cannot be protected in the way that the props ask for. */
function edgeWrong(
  { agui, webAcl }: Pick<z.output<typeof Props>, 'agui' | 'webAcl'>,
  facts: DeploymentFacts,
): string[] {
  const hasAddress = facts.agui || facts.chat;
  if (webAcl !== undefined && !hasAddress)
    return [
      'webAcl: AWS WAF protects no HTTP or WebSocket API of API Gateway and no function URL, only a CloudFront distribution, and only agui or chat of the definition has one. Put a distribution of your own in front of the HTTP API (docs/deploy.md#a-web-acl)',
    ];
  if (webAcl !== undefined && agui.access !== undefined && agui.access !== 'cloudfront')
    return [
      `webAcl: AWS WAF does not protect a function URL, so agui.access must be 'cloudfront', not '${agui.access}'`,
    ];
  return agui.access !== undefined && !hasAddress
    ? ['agui.access: the definition has neither agui nor chat, so there is no such address']
    : [];
}

function settingsWrong(settings: Readonly<Record<string, string>>, facts: DeploymentFacts): string[] {
  const missing = Object.entries(facts.settings).filter(
    ([name, setting]) => setting.default === undefined && settings[name] === undefined,
  );
  return [
    ...unknown('settings', settings, facts.settings, 'no setting'),
    ...missing.map(
      ([name, { description }]) => `settings.${name}: has no default, so give a value (${description})`,
    ),
  ];
}

const unknown = (prop: string, named: object, declared: object, none: string): string[] =>
  Object.keys(named)
    .filter((name) => !Object.hasOwn(declared, name))
    .map((name) => `${prop}.${name}: the definition declares ${none} of this name`);
