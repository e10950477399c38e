/**
 * Names that `infra/` sets and `functions/` reads.
 *
 * This is the one place where the two meet: a construct writes `env.TABLE_NAME`,
 * a handler reads `env.TABLE_NAME`, and neither spells the string.
 */

/** Environment variables of the Lambda functions. Not every function has every one: see `infra/`. */
export const env = {
  /** Namespace of the metrics: each deployment has its own, or the alarms of one would ring for another's failures. */
  METRICS_NAMESPACE: 'METRICS_NAMESPACE',
  /** DynamoDB table that holds everything. */
  TABLE_NAME: 'TABLE_NAME',
  /** Table of tenants' wrapped data keys; absent: contents are not sealed (docs/deploy.md). */
  KEY_TABLE_NAME: 'KEY_TABLE_NAME',
  /** ARN of the KMS key that wraps them. */
  TENANT_KEY_ARN: 'TENANT_KEY_ARN',
  /** URL of the SQS queue of step messages, or of the first lane if there are several. */
  STEP_QUEUE_URL: 'STEP_QUEUE_URL',
  /** How many queues step messages are sent to; absent means one. */
  STEP_LANES: 'STEP_LANES',
  /** Names of the lanes except the first, without their numbers from 1 on, which are appended. */
  STEP_LANE_NAME: 'STEP_LANE_NAME',
  /** URL of the SQS queue of queued calls. */
  TOOL_QUEUE_URL: 'TOOL_QUEUE_URL',
  /** URL of the SQS queue of deliveries to external listeners. */
  DELIVERY_QUEUE_URL: 'DELIVERY_QUEUE_URL',
  SLACK_DELIVERY_QUEUE_URL: 'SLACK_DELIVERY_QUEUE_URL',
  /** S3 bucket for slots and tool results too large for an item. */
  BLOB_BUCKET: 'BLOB_BUCKET',
  /** Base URL of the HTTP API, where calls are answered later. */
  HTTP_URL: 'HTTP_URL',
  /** `wss://…/stage` of the WebSocket API; its `@connections` endpoint is the same URL over https. */
  SOCKET_URL: 'SOCKET_URL',
  /** Seconds a step owns its session without a heartbeat (docs/design.md: 60). */
  STEP_LEASE_SECONDS: 'STEP_LEASE_SECONDS',
  /** The limits of every tenant for a UTC day; 0 = unlimited (docs/budgets.md). */
  TENANT_TOKENS_PER_DAY: 'TENANT_TOKENS_PER_DAY',
  TENANT_USD_PER_DAY: 'TENANT_USD_PER_DAY',
  TENANT_STEPS_PER_DAY: 'TENANT_STEPS_PER_DAY',
  /** JSON: values of the definition's settings by name, where the deploy overrides their defaults. */
  SETTINGS: 'SETTINGS',
  /** JSON: Secrets Manager ids by name, for the definition's secrets that this function may read. */
  SECRETS: 'SECRETS',
  /** JSON: base URLs of model servers by name, where the deploy overrides those declared. */
  MODEL_URLS: 'MODEL_URLS',
  /** JSON: where traces and metrics of runs are sent; nowhere for `{}`. See {@link Telemetry}. */
  TELEMETRY: 'TELEMETRY',
  /** Secrets Manager id of the secrets that sign callbacks. */
  CALLBACK_SIGNING_SECRET_ID: 'CALLBACK_SIGNING_SECRET_ID',
  /** `allow` lets callbacks go to this machine over HTTP: for the laptop. */
  CALLBACK_LOOPBACK: 'CALLBACK_LOOPBACK',
  /** `allow` lets tools fetch from this machine, over HTTP too: for the laptop. */
  FETCH_LOOPBACK: 'FETCH_LOOPBACK',
  /** URL of the SQS queue of work that Slack need not wait for. */
  SLACK_JOBS_QUEUE_URL: 'SLACK_JOBS_QUEUE_URL',
  /** Base URL of Amazon SES in the region. */
  SES_URL: 'SES_URL',
  /** Secrets Manager id of the secrets that sign the links in asks. */
  LINK_SIGNING_SECRET_ID: 'LINK_SIGNING_SECRET_ID',
  /** Base URL of Slack's Web API. */
  SLACK_API_URL: 'SLACK_API_URL',
  /** `on`: answers in Slack have buttons with which people rate them. Absent: they have none. */
  SLACK_FEEDBACK: 'SLACK_FEEDBACK',
  /** `on`: tasks and tool calls are shown as task cards in Slack. `off`, or absent: they are not. */
  SLACK_TASK_CARDS: 'SLACK_TASK_CARDS',
  /** Client id of the Slack app. */
  SLACK_CLIENT_ID: 'SLACK_CLIENT_ID',
  /** Secrets Manager id of the Slack app's client secret. */
  SLACK_CLIENT_SECRET_ID: 'SLACK_CLIENT_SECRET_ID',
  /** Secrets Manager id of the secret with which Slack signs its requests. */
  SLACK_SIGNING_SECRET_ID: 'SLACK_SIGNING_SECRET_ID',
  /** Prefix of the names of the secrets with bot tokens; the workspace's id follows. */
  SLACK_TOKEN_PREFIX: 'SLACK_TOKEN_PREFIX',
  /** ARN of the key that encrypts those secrets; absent: that of Secrets Manager. */
  SLACK_TOKEN_KEY: 'SLACK_TOKEN_KEY',
  /** Secrets Manager id of the bearer token that the HTTP API requires. */
  API_TOKEN_SECRET_ID: 'API_TOKEN_SECRET_ID',
  /** Issuer of the JWTs that the HTTP API accepts, as in their `iss`. Empty: none are accepted. */
  OIDC_ISSUER: 'OIDC_ISSUER',
  /** Audiences, separated by commas: a JWT must be for one of them. */
  OIDC_AUDIENCE: 'OIDC_AUDIENCE',
  /** The claim of a JWT that names its tenant. */
  OIDC_TENANT_CLAIM: 'OIDC_TENANT_CLAIM',
  /** The claim of a JWT that lists roles. */
  OIDC_ROLES_CLAIM: 'OIDC_ROLES_CLAIM',
  /** Id of the console's client at the issuer. Empty: signing in to the console by OIDC is off. */
  CONSOLE_CLIENT_ID: 'CONSOLE_CLIENT_ID',
  /** Origins that the console may call besides the issuer's own, separated by spaces. */
  CONSOLE_ORIGINS: 'CONSOLE_ORIGINS',
  /** Hash of the definition's schedules; absent if it has none. */
  SCHEDULES: 'SCHEDULES',
  /** Messages that a tenant may send in a minute. */
  MESSAGES_PER_MINUTE: 'MESSAGES_PER_MINUTE',
  /** Requests that a tenant may send in a second. */
  REQUESTS_PER_SECOND: 'REQUESTS_PER_SECOND',
  /** Sessions of a tenant that may run at once. */
  SESSIONS_AT_ONCE: 'SESSIONS_AT_ONCE',
  /** Days without activity after which a session at rest is deleted; absent = never. */
  SESSIONS_DAYS: 'SESSIONS_DAYS',
  /** Secrets Manager id of the secret that CloudFront sends; absent: requests may come directly. */
  EDGE_SECRET_ID: 'EDGE_SECRET_ID',
  /** SSE responses of a tenant that may be open at once. */
  STREAMS_AT_ONCE: 'STREAMS_AT_ONCE',
  /** Seconds that an SSE response lasts if it only shows a session. */
  WATCH_SECONDS: 'WATCH_SECONDS',
} as const;

/** The value of `TELEMETRY`: texts by name, all but `endpoint` optional. */
export interface Telemetry {
  /** Base URL of an OpenTelemetry collector: OTLP over HTTP, with `/v1/traces` and `/v1/metrics` appended. */
  readonly endpoint: string;
  /** Name of the service, as the collector shows it. */
  readonly service?: string;
  /** Secrets Manager id of the headers, as `name=value,name=value`. */
  readonly headersSecret?: string;
  /** The headers themselves: for the laptop. */
  readonly headers?: string;
  /** `true`: includes the words of people, models and tools. */
  readonly content?: string;
}

/** Names of the table's keys: `infra/` creates it with them, and `shared/aws` reads and writes by them. */
export const tableLayout = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Epoch seconds after which DynamoDB may delete an item. */
  ttl: 'ttl',
  /** The sparse index of the sessions that wait for a wake: its name, and its keys. KEYS_ONLY. */
  due: { index: 'due', partitionKey: 'dueShard', sortKey: 'sweepAt' },
  /** The index of the sessions in lists: its name, and its keys. */
  listed: { index: 'listed', partitionKey: 'listedAs', sortKey: 'listedAt' },
} as const;

/**
 * The bucket's prefix for uploads until a message takes them over, `prefix/tenant/id`: objects under it are deleted a
 * day later at the latest. No tenant's name starts with `_`.
 */
export const uploadsPrefix = '_uploads';

/** The bucket's prefix for received mails: objects under it are deleted 14 days later, with the last
 * dead letter that names one. No tenant's name starts with `_`. */
export const mailPrefix = '_mail';
