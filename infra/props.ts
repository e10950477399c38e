/** The deploy-time options of a `Steploop`. Its agents are in their definition. */

import type { RemovalPolicy } from 'aws-cdk-lib';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IHostedZone } from 'aws-cdk-lib/aws-route53';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic } from 'aws-cdk-lib/aws-sns';

/** Everything but the definition has a default. A number may be a token, such as the value of a parameter of yours. */
export interface SteploopProps {
  /** The file whose default export is made by `defineDeployment`. A relative path starts at the working directory. */
  readonly definition: string;

  /**
   * The name of this deployment where names must be unique in an account: in the names of its APIs, of its metrics, and of the
   * secrets of Slack workspaces. Letters, digits, `-` and `_`, at most 64. After a change, Slack workspaces must install the app
   * again.
   *
   * @default - made of the names of the stack and of this construct
   */
  readonly name?: string;

  /**
   * Values of settings that the definition declares, by name. A setting without a default there must have a value here.
   *
   * @default - the definition's defaults
   */
  readonly settings?: Readonly<Record<string, string>>;

  /**
   * Base URLs of model servers that override the definition's, by the server's name, such as a gateway of this stage.
   *
   * @default - the definition's
   */
  readonly modelUrls?: Readonly<Record<string, string>>;

  /**
   * Issuer and audiences of the JWTs that the APIs accept, if a stage differs from the definition. The definition must have
   * `identity`.
   *
   * @default - the definition's
   */
  readonly identity?: IdentityProps;

  /**
   * Id of the Slack app. Put its secrets into Secrets Manager after the deploy.
   *
   * @default - none: Slack's requests are accepted, and no workspace can install the app
   */
  readonly slackClientId?: string;

  /**
   * Name of an existing rule set of SES for received mails (docs/email.md). SES has one active rule set in each account and region.
   *
   * @default - a rule set of the stack, which you make the active one
   */
  readonly mailRuleSet?: string;

  /**
   * How many of each run at once.
   *
   * @default - 50 steps, 20 queued calls, and 200 responses of AG-UI
   */
  readonly concurrency?: ConcurrencyProps;

  /**
   * Requests a second that the APIs accept from all callers together (docs/scale.md).
   *
   * @default - 2000 to the HTTP API, 500 to the WebSocket API
   */
  readonly requests?: RequestProps;

  /**
   * Step queues, each with at most 1,000 steps at once; a session's wakes go to one of them, by hash. 1 to 64. It can be changed
   * at any time. To lower it without delaying any session, first let the queues drain that will be removed (docs/scale.md#lanes).
   *
   * @default 1
   */
  readonly lanes?: number | LaneProps;

  /**
   * Seconds that a step owns its session without a heartbeat: a killed step is retried after this. 2 to 300.
   *
   * @default 60
   */
  readonly stepLeaseSeconds?: number;

  /**
   * Limits of each tenant per UTC day (docs/budgets.md).
   *
   * @default - unlimited
   */
  readonly budgets?: BudgetProps;

  /**
   * Limits of each tenant's concurrent and per-minute usage.
   *
   * @default - see each
   */
  readonly limits?: LimitProps;

  /**
   * Runs functions in a VPC, so that tools can reach its resources. The functions need a route to AWS and to the model: a NAT
   * gateway, or endpoints.
   *
   * @default - no VPC
   */
  readonly vpc?: VpcProps;

  /**
   * The compute type, for all functions or for each of those where it matters. `managed` runs many waiting invocations in one
   * environment, on instances in your VPC: waiting for a model costs next to nothing, but idle time has a cost (docs/managed.md).
   * It needs `vpc`. A change replaces the function: AG-UI gets another address.
   *
   * @default 'lambda'
   */
  readonly compute?: Compute | ComputeProps;

  /**
   * Memory of the functions whose invocations wait. On Lambda, CPU comes in proportion, and each MB is paid for while a model
   * thinks.
   *
   * @default - see each
   */
  readonly memory?: MemoryProps;

  /**
   * The instances of functions whose compute is `managed`.
   *
   * @default - see each
   */
  readonly managed?: ManagedProps;

  /**
   * Domain names of the APIs, in addition to the ones that AWS assigns. AG-UI keeps its own address: a function URL has no other.
   *
   * @default - the names that AWS assigns
   */
  readonly domain?: DomainProps;

  /**
   * How the address of AG-UI and chat can be reached (docs/deploy.md#the-address-of-ag-ui).
   *
   * @default - by everyone: the function authenticates its callers
   */
  readonly agui?: AguiProps;

  /**
   * ARN of a web ACL of AWS WAF for the CloudFront distribution of AG-UI and chat: of the scope CLOUDFRONT, in us-east-1. The
   * HTTP API and the WebSocket API cannot have one, nor can a function URL (docs/deploy.md#a-web-acl).
   *
   * @default - none
   */
  readonly webAcl?: string;

  /**
   * The console, a page of the HTTP API at `/console` (docs/console.md); `false` leaves it out.
   *
   * @default - included, with sign-in by a token or an API key
   */
  readonly console?: ConsoleProps | false;

  /**
   * Where alarms are sent; `false` makes none.
   *
   * @default - a topic of its own, without subscribers
   */
  readonly alarms?: AlarmProps | false;

  /**
   * Whether to make a CloudWatch dashboard (docs/operating.md#the-dashboard).
   *
   * @default true
   */
  readonly dashboard?: boolean;

  /**
   * Where traces and metrics of runs are sent to, by OpenTelemetry (docs/telemetry.md).
   *
   * @default - nowhere
   */
  readonly telemetry?: TelemetryProps;

  /**
   * Automatic deletion (docs/retention.md).
   *
   * @default - nothing is deleted
   */
  readonly retention?: RetentionProps;

  /**
   * How long logs are kept: of functions, and of requests to the HTTP API.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;

  /**
   * A customer-managed key for the table, the bucket, the queues, the secrets and the logs (docs/deploy.md#a-key-of-your-own). It
   * must be in the region of the stack. Without the key nothing that is stored can be read.
   *
   * @default - keys that AWS manages
   */
  readonly encryptionKey?: IKey;

  /**
   * Seals what people, models and tools say under a data key of each tenant, which `encryptionKey` wraps; so it needs
   * `encryptionKey`. An administrator who deletes the key makes everything that is stored of the tenant unreadable, also in backups
   * (docs/deploy.md#a-key-for-each-tenant). Items from before it was turned on are sealed when they are written again. Once turned
   * on it must stay on: sealed data cannot be read without it.
   *
   * @default false
   */
  readonly tenantKeys?: boolean;

  /**
   * Removal policy of the table and the bucket: for when the stack is deleted, or when they are removed from it. With `DESTROY`
   * the bucket must be emptied first.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * Whether DynamoDB refuses every request to delete the table.
   *
   * @default false
   */
  readonly deletionProtection?: boolean;

  /**
   * Whether the table can be restored to any second of the last 35 days.
   *
   * @default true
   */
  readonly pointInTimeRecovery?: boolean;
}

/** Issuer and audiences of a stage's JWTs, in place of the definition's. */
export interface IdentityProps {
  /** Exactly as in the `iss` of the JWTs. @default - the definition's */
  readonly issuer?: string;
  /** A JWT must be for one of them. None has a comma. @default - the definition's */
  readonly audiences?: readonly string[];
}

/** How the address of AG-UI and chat can be reached. */
export interface AguiProps {
  /**
   * `public`: by everyone, and the function authenticates its callers. `cloudfront`: only through a CloudFront distribution, to
   * which the outputs lead. `iam`: by AWS principals that sign their requests (SigV4), with the credential in the header
   * `x-steploop-authorization`; grant it with `agents.grantAgui(…)`.
   *
   * @default 'public'; 'cloudfront' with `webAcl`
   */
  readonly access?: AguiAccess;
}

/** By whom the address of AG-UI and chat can be reached. */
export type AguiAccess = 'public' | 'cloudfront' | 'iam';

/** Automatic deletion, with everything that is stored. */
export interface RetentionProps {
  /**
   * Days after which an inactive session is deleted: no run of it has begun, waited or ended since. A session that runs, waits or
   * was forked stays. 1 to 36500.
   *
   * @default - sessions are kept forever
   */
  readonly sessionsDays?: number;
}

/** How many of each run at once. */
export interface ConcurrencyProps {
  /** Steps, over all sessions. 2 to 1000 for each lane; they are divided evenly. @default 50 */
  readonly steps?: number;
  /** Queued calls, over all sessions. 2 to 1000. @default 20 */
  readonly tools?: number;
  /** Slack threads that are written at once, over all sessions. 2 to 1000. @default 50 */
  readonly slack?: number;
  /** Callbacks that are delivered at once, over all sessions. 2 to 1000. @default 50 */
  readonly callbacks?: number;
  /**
   * Concurrency reserved for AG-UI and chat, over all tenants, which also limits open responses; at least 1. A reservation must
   * leave the account 100 unreserved (10 in new accounts, whose limit is 10): such accounts need `unreserved`. On managed compute
   * there is none.
   *
   * @default 200
   */
  readonly agui?: number | 'unreserved';
}

/** Step queues, while their number is being lowered. */
export interface LaneProps {
  /** Number of queues that wakes are sent to, from the first on. */
  readonly sends: number;
  /** Number of queues that exist and are consumed: these, and those that are still draining. */
  readonly consumes: number;
}

/**
 * Requests a second that an API accepts, and as many at once. More are refused with 429, which costs nothing. All APIs of the
 * account have 10,000 together, until AWS raises that.
 */
export interface RequestProps {
  /** To the HTTP API: messages, reads and webhooks. 1 to 100000. @default 2000 */
  readonly http?: number;
  /** To the WebSocket API: connections, and messages from clients. 1 to 100000. @default 500 */
  readonly socket?: number;
}

/**
 * The compute of a function: `lambda` runs one invocation in an environment and is billed by the millisecond; `managed` runs many
 * in one and is billed by the instance hour.
 */
export type Compute = 'lambda' | 'managed';

/** The compute of each function whose invocations wait. */
export interface ComputeProps {
  /** Runs steps. @default 'lambda' */
  readonly step?: Compute;
  /** Runs queued calls. @default 'lambda' */
  readonly tool?: Compute;
  /** Holds responses of AG-UI open. @default 'lambda' */
  readonly agui?: Compute;
}

/** MB of memory. For a managed function, a multiple of `managed.memoryPerVcpu`, 2048 by default, which all of its invocations share. */
export interface MemoryProps {
  /** @default 512; 1024 when a shell or a compiler runs in steps */
  readonly step?: number;
  /** @default 1024 */
  readonly tool?: number;
  /** @default 512 */
  readonly agui?: number;
}

/** Instances of functions whose compute is `managed`. They are ARM, of types that Lambda chooses, in the subnets of `vpc`. */
export interface ManagedProps {
  /**
   * vCPUs that all instances may have together, which limits their cost. 12 to 15000. Each of the functions has its
   * `environments`, twice as many while a deploy replaces them, and Lambda keeps a vCPU of each instance.
   *
   * @default 30
   */
  readonly maxVcpus?: number;
  /** Concurrent invocations for each vCPU of an environment; more are throttled. 1 to 100. @default 64 */
  readonly perVcpu?: number;
  /** GiB of memory for each vCPU of an environment: 2, 4 or 8. @default 2 */
  readonly memoryPerVcpu?: number;
  /** Environments that each of the functions always has. Below 3 they cover fewer than three zones. 1 to 1000. @default 3 */
  readonly environments?: number;
}

/** Limits of each tenant per UTC day. */
export interface BudgetProps {
  /** Input and output tokens. 0 is unlimited. @default 0 */
  readonly tokensPerDay?: number;
  /** USD spent on models. 0 is unlimited. @default 0 */
  readonly usdPerDay?: number;
  /** Steps. 0 is unlimited. @default 0 */
  readonly stepsPerDay?: number;
}

/** Limits of each tenant's concurrent and per-minute usage. */
export interface LimitProps {
  /** Messages that a tenant may send in a minute; more are refused with 429. 1 to 30000000. @default 600 */
  readonly messagesPerMinute?: number;
  /**
   * Requests that a tenant may send in a second, over HTTP and WebSockets; more are refused with 429. A list counts as ten, and large
   * bodies count for more (docs/identity.md#limits). 10 to 100000.
   *
   * @default 1000
   */
  readonly requestsPerSecond?: number;
  /** Sessions of a tenant that may run at once; a message that would start one more gets 429. 1 to 1000000. @default 200 */
  readonly sessionsAtOnce?: number;
  /** Responses of AG-UI that a tenant may have open at once; one more gets 429. 1 to 100000. @default 100 */
  readonly streamsAtOnce?: number;
  /**
   * Seconds after which a response of AG-UI that only follows a session ends, because Lambda does not report that a client has
   * left. 5 to 880.
   *
   * @default 120
   */
  readonly watchSeconds?: number;
}

/** A VPC, and the functions that run in it. */
export interface VpcProps {
  /** Your VPC. */
  readonly vpc: IVpc;
  /** @default - the private ones with a route out */
  readonly subnets?: SubnetSelection;
  /** @default - one for each function, which allows all outbound traffic */
  readonly securityGroups?: readonly ISecurityGroup[];
  /**
   * With `tools`, the functions that run tools and call models: the step and the queued calls. With `all`, every function. With
   * `managed`, only those whose `compute` is `managed`, which always run there.
   *
   * @default 'tools'
   */
  readonly functions?: 'tools' | 'all' | 'managed';
}

/** Domain names of the APIs. */
export interface DomainProps {
  /** For the HTTP API: sessions, webhooks, Slack. @default - the name that AWS assigns */
  readonly http?: DomainName;
  /** For the WebSocket API; it must differ from the HTTP API's. @default - the name that AWS assigns */
  readonly socket?: DomainName;
}

/** A domain name of one API. */
export interface DomainName {
  /** For example `agents.example.com`. */
  readonly name: string;
  /** For this name, in the region of the stack. */
  readonly certificate: ICertificate;
  /** Zone for the alias record. @default - no record: point the name at the `…DomainTarget` among the outputs */
  readonly zone?: IHostedZone;
}

/** Sign-in to the console by OIDC. The definition must have `identity`. */
export interface ConsoleProps {
  /**
   * Id of a public client at the issuer, with the redirect URI `<HttpUrl>/console`, the code flow and PKCE. If it is among the
   * audiences, the console sends the ID token; otherwise it sends the access token.
   *
   * @default - no sign-in by OIDC
   */
  readonly clientId?: string;
  /** Origins of the issuer's other addresses, such as its token endpoint, if they differ from the issuer's own. @default - none */
  readonly origins?: readonly string[];
}

/** An OpenTelemetry collector, or a service with the same protocol. */
export interface TelemetryProps {
  /** Base URL; `/v1/traces` and `/v1/metrics` are appended: OTLP over HTTP, in JSON. */
  readonly endpoint: string;
  /** Holds headers of each request, as `name=value,name=value`, such as a key. @default - none */
  readonly headersSecret?: ISecret;
  /** Whether to include the texts of people, models and tools. @default false */
  readonly content?: boolean;
}

/** Where alarms are sent. */
export interface AlarmProps {
  /** The topic of alarms. With `none`, they appear only in the AWS console. @default - a topic of its own */
  readonly topic?: ITopic | 'none';
  /** An email address for alarms, which must confirm the subscription. @default - none */
  readonly email?: string;
}
