/** What a deploy decides about a `Steploop`. What the agents are is in their definition. */

import type { RemovalPolicy } from 'aws-cdk-lib';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IHostedZone } from 'aws-cdk-lib/aws-route53';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic } from 'aws-cdk-lib/aws-sns';

/** Everything but the definition has a default. A number may be a token, such as the value of a parameter of yours. */
export interface SteploopProps {
  /** The file whose default export is made by `defineDeployment`. A relative path starts at the working directory. */
  readonly definition: string;

  /**
   * What this deployment is called where names must differ in an account: in the names of its APIs, of its metrics, and
   * of the secrets that Slack workspaces get. Letters, digits, `-` and `_`, at most 64. Changing it makes Slack workspaces
   * install the app again.
   *
   * @default - made of the names of the stack and of this construct
   */
  readonly name?: string;

  /**
   * Values of settings that the definition declares, by name. One that has no default there must be given here.
   *
   * @default - the definition's defaults
   */
  readonly settings?: Readonly<Record<string, string>>;

  /**
   * Base URLs of model servers that differ from the definition's, by the server's name: a gateway of this stage, say.
   *
   * @default - the definition's
   */
  readonly modelUrls?: Readonly<Record<string, string>>;

  /**
   * Whose JWTs the APIs take, where a stage has another issuer or audience than the definition says. The definition must
   * have `identity`.
   *
   * @default - the definition's
   */
  readonly identity?: IdentityProps;

  /**
   * Id of the Slack app. Its secrets are put into Secrets Manager after the deploy.
   *
   * @default - none: Slack's requests are taken, and no workspace can install the app
   */
  readonly slackClientId?: string;

  /**
   * How many of each run at once.
   *
   * @default - 50 steps, 20 queued calls, and no reservation for AG-UI
   */
  readonly concurrency?: ConcurrencyProps;

  /**
   * Requests a second that the APIs take of everybody together (docs/scale.md).
   *
   * @default - 2000 to the HTTP API, 500 to the WebSocket API
   */
  readonly requests?: RequestProps;

  /**
   * Queues of steps, each with 1,000 steps at once at most; a session's wakes go to one of them, by hash. 1 to 64. It can be changed
   * at any time. To lower it without delaying any session, let those that are to go be worked off first (docs/scale.md#lanes).
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
   * What each tenant may use in a UTC day (docs/budgets.md).
   *
   * @default - unlimited
   */
  readonly budgets?: BudgetProps;

  /**
   * How much a tenant may ask for at once.
   *
   * @default - see each
   */
  readonly limits?: LimitProps;

  /**
   * Runs functions in a VPC, so that tools reach what is in it. They need a way out to AWS and to the model: a NAT gateway,
   * or endpoints.
   *
   * @default - no VPC
   */
  readonly vpc?: VpcProps;

  /**
   * What functions run on, for all or for each of those where it matters. `managed` puts as many invocations beside each
   * other into one environment as wait at once, on instances in your VPC, so that waiting for a model costs next to nothing,
   * and idling no longer does (docs/managed.md). It needs `vpc`. A function that moves is made anew: AG-UI gets another
   * address.
   *
   * @default 'lambda'
   */
  readonly compute?: Compute | ComputeProps;

  /**
   * Memory of the functions whose invocations wait. On Lambda CPU comes in proportion, and each MB is paid for as long as
   * a model thinks.
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
   * Domain names of the APIs, beside the ones that AWS gives them. AG-UI keeps its own address: a function URL has no
   * other.
   *
   * @default - the names that AWS gives
   */
  readonly domain?: DomainProps;

  /**
   * The console, a page of the HTTP API at `/console` (docs/console.md); `false` leaves it out.
   *
   * @default - there, and signed in to with a token or an API key
   */
  readonly console?: ConsoleProps | false;

  /**
   * Who hears of alarms; `false` makes none.
   *
   * @default - a topic of its own, which nobody has subscribed to
   */
  readonly alarms?: AlarmProps | false;

  /**
   * Whether there is a dashboard in CloudWatch (docs/operating.md#the-dashboard).
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
   * What is deleted by itself (docs/retention.md).
   *
   * @default - nothing
   */
  readonly retention?: RetentionProps;

  /**
   * How long logs are kept: of functions, and of requests to the HTTP API.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;

  /**
   * What becomes of the table and the bucket when the stack is deleted, or when they are taken from it. With `DESTROY` the
   * bucket must be emptied first.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * Whether DynamoDB refuses to delete the table, whoever asks.
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

/** Whose JWTs a stage takes, in place of the definition's. */
export interface IdentityProps {
  /** Exactly as in the `iss` of the JWTs. @default - the definition's */
  readonly issuer?: string;
  /** A JWT must be for one of them. None has a comma. @default - the definition's */
  readonly audiences?: readonly string[];
}

/** What is deleted by itself, with all that is stored of it. */
export interface RetentionProps {
  /**
   * Days after which a session is deleted that has not moved: no run of it has begun, waited or ended since. One that runs, waits or was forked stays. 1 to
   * 36500.
   *
   * @default - sessions are kept for ever
   */
  readonly sessionsDays?: number;
}

/** How many of each run at once. */
export interface ConcurrencyProps {
  /** Steps, over all sessions. 2 to 1000 for each lane; each has its even part. @default 50 */
  readonly steps?: number;
  /** Queued calls, over all sessions. 2 to 1000. @default 20 */
  readonly tools?: number;
  /**
   * Concurrency reserved for AG-UI, over all tenants; at least 1. Accounts with a limit of 10 can reserve none.
   *
   * @default - no reservation
   */
  readonly agui?: number;
}

/** Queues of steps, while their number is lowered. */
export interface LaneProps {
  /** Those that wakes are sent to, from the first on. */
  readonly sends: number;
  /** Those that are there and consumed: these and those that are still to be worked off. */
  readonly consumes: number;
}

/**
 * Requests a second that an API takes, and as many at once. More are refused with 429, which costs nothing. All APIs of the account have 10,000
 * together, until AWS raises that.
 */
export interface RequestProps {
  /** To the HTTP API: messages, looks and webhooks. 1 to 100000. @default 2000 */
  readonly http?: number;
  /** To the WebSocket API: connections, and what clients say. 1 to 100000. @default 500 */
  readonly socket?: number;
}

/**
 * What a function runs on: `lambda`, one invocation in an environment and a price for each millisecond, or `managed`, many in
 * one and a price for each hour of its instance.
 */
export type Compute = 'lambda' | 'managed';

/** What each of the functions runs on whose invocations wait. */
export interface ComputeProps {
  /** Runs steps. @default 'lambda' */
  readonly step?: Compute;
  /** Runs queued calls. @default 'lambda' */
  readonly tool?: Compute;
  /** Holds responses of AG-UI open. @default 'lambda' */
  readonly agui?: Compute;
}

/** MB of memory. Of a managed function a multiple of `managed.memoryPerVcpu`, 2048 by default, which all of its invocations share. */
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
   * vCPUs that all instances may have together, which is the most that they can cost. 12 to 15000. Each of the functions
   * has its `environments`, twice as many while a deploy replaces them, and Lambda keeps a vCPU of each instance.
   *
   * @default 30
   */
  readonly maxVcpus?: number;
  /** Invocations beside each other for each vCPU of an environment; more are throttled. 1 to 100. @default 64 */
  readonly perVcpu?: number;
  /** GiB of memory for each vCPU of an environment: 2, 4 or 8. @default 2 */
  readonly memoryPerVcpu?: number;
  /** Environments that each of the functions always has. Below 3 it is in fewer zones than three. 1 to 1000. @default 3 */
  readonly environments?: number;
}

/** What each tenant may use in a UTC day. */
export interface BudgetProps {
  /** Input and output tokens. 0 is unlimited. @default 0 */
  readonly tokensPerDay?: number;
  /** USD spent on models. 0 is unlimited. @default 0 */
  readonly usdPerDay?: number;
  /** Steps. 0 is unlimited. @default 0 */
  readonly stepsPerDay?: number;
}

/** How much a tenant may ask for at once. */
export interface LimitProps {
  /** Messages that a tenant may send in a minute; more are refused with 429. 1 to 30000000. @default 600 */
  readonly messagesPerMinute?: number;
  /** Sessions of a tenant that may run at once; a message that would start one more gets 429. 1 to 1000000. @default 200 */
  readonly sessionsAtOnce?: number;
  /** Responses of AG-UI that a tenant may have open at once; one more gets 429. 1 to 100000. @default 100 */
  readonly streamsAtOnce?: number;
  /**
   * Seconds after which a response of AG-UI that only shows a session ends: Lambda never says when a client has left.
   * 5 to 880.
   *
   * @default 120
   */
  readonly watchSeconds?: number;
}

/** A VPC, and which functions run in it. */
export interface VpcProps {
  /** Yours. */
  readonly vpc: IVpc;
  /** @default - the private ones with a way out */
  readonly subnets?: SubnetSelection;
  /** @default - one for each function, which lets everything out */
  readonly securityGroups?: readonly ISecurityGroup[];
  /**
   * `tools`: those that run tools and ask models, the step and the queued calls. `all`: every function. `managed`: none
   * but those whose `compute` is that, which always do.
   *
   * @default 'tools'
   */
  readonly functions?: 'tools' | 'all' | 'managed';
}

/** Domain names of the APIs. */
export interface DomainProps {
  /** Of the HTTP API: sessions, webhooks, Slack. @default - the name that AWS gives */
  readonly http?: DomainName;
  /** Of the WebSocket API; another one than the HTTP API's. @default - the name that AWS gives */
  readonly socket?: DomainName;
}

/** A domain name of one API. */
export interface DomainName {
  /** Such as `agents.example.com`. */
  readonly name: string;
  /** For this name, in the region of the stack. */
  readonly certificate: ICertificate;
  /** Where the alias record is made. @default - none is made: point the name at the `…DomainTarget` among the outputs */
  readonly zone?: IHostedZone;
}

/** How people sign in to the console by OIDC. The definition must have `identity`. */
export interface ConsoleProps {
  /**
   * Id of a public client at the issuer, with the redirect URI `<HttpUrl>/console`, the code flow and PKCE. When it is among
   * the audiences, the ID token is sent; otherwise the access token.
   *
   * @default - nobody signs in by OIDC
   */
  readonly clientId?: string;
  /** Origins of the issuer's other addresses, such as its token endpoint, where those are not the issuer's own. @default - none */
  readonly origins?: readonly string[];
}

/** An OpenTelemetry collector, or a service that takes what one does. */
export interface TelemetryProps {
  /** Base URL, with `/v1/traces` and `/v1/metrics` behind it: OTLP over HTTP, in JSON. */
  readonly endpoint: string;
  /** Holds headers of each request, as `name=value,name=value`: a key, say. @default - none */
  readonly headersSecret?: ISecret;
  /** Whether what people, models and tools say goes with it. @default false */
  readonly content?: boolean;
}

/** Who hears of alarms. */
export interface AlarmProps {
  /** Where alarms go. `none`: they ring in the console alone. @default - a topic of its own */
  readonly topic?: ITopic | 'none';
  /** An address that alarms are mailed to, after it has confirmed that. @default - none */
  readonly email?: string;
}
