/**
 * Names that `infra/` sets and `functions/` reads.
 *
 * This is the one place where the two meet: a construct writes `env.TABLE_NAME`,
 * a handler reads `env.TABLE_NAME`, and neither spells the string.
 */

/** Environment variables of the Lambda functions. Not every function has every one: see `infra/`. */
export const env = {
  /** Namespace of the metrics: another for each deployment, or the alarms of one would ring for another's failures. */
  METRICS_NAMESPACE: 'METRICS_NAMESPACE',
  /** DynamoDB table that holds everything. */
  TABLE_NAME: 'TABLE_NAME',
  /** URL of the SQS queue of step messages. */
  STEP_QUEUE_URL: 'STEP_QUEUE_URL',
  /** URL of the SQS queue of queued calls. */
  TOOL_QUEUE_URL: 'TOOL_QUEUE_URL',
  /** URL of the SQS queue of deliveries to listeners outside. */
  DELIVERY_QUEUE_URL: 'DELIVERY_QUEUE_URL',
  /** S3 bucket for slots and tool results too large for an item. */
  BLOB_BUCKET: 'BLOB_BUCKET',
  /** `wss://…/stage` of the WebSocket API; its `@connections` endpoint is the same URL over https. */
  SOCKET_URL: 'SOCKET_URL',
  /** Seconds a step owns its session without a heartbeat (design.md section 4: 60). */
  STEP_LEASE_SECONDS: 'STEP_LEASE_SECONDS',
  /** What every tenant may use in a UTC day; 0 = unlimited (docs/budgets.md). */
  TENANT_TOKENS_PER_DAY: 'TENANT_TOKENS_PER_DAY',
  TENANT_USD_PER_DAY: 'TENANT_USD_PER_DAY',
  TENANT_STEPS_PER_DAY: 'TENANT_STEPS_PER_DAY',
  /** Secrets Manager id of the first model server's API key. */
  MODEL_KEY_SECRET_ID: 'MODEL_KEY_SECRET_ID',
  /** Base URL of the first model server. */
  MODEL_BASE_URL: 'MODEL_BASE_URL',
  /** How the key is sent: `bearer`, `x-api-key` or `both`. */
  MODEL_AUTH: 'MODEL_AUTH',
  /** The second model server's key, base URL and way of sending the key: see `modelServers`. */
  SECOND_MODEL_KEY_SECRET_ID: 'SECOND_MODEL_KEY_SECRET_ID',
  SECOND_MODEL_BASE_URL: 'SECOND_MODEL_BASE_URL',
  SECOND_MODEL_AUTH: 'SECOND_MODEL_AUTH',
  /** Base URL of the GitHub REST API that the tools of the triage agent call. */
  GITHUB_API_URL: 'GITHUB_API_URL',
  /** Secrets Manager id of the GitHub token for those tools. */
  GITHUB_TOKEN_SECRET_ID: 'GITHUB_TOKEN_SECRET_ID',
  /** Secrets Manager id of the secret that GitHub signs webhooks with. */
  GITHUB_WEBHOOK_SECRET_ID: 'GITHUB_WEBHOOK_SECRET_ID',
  /** Secrets Manager id of the secrets of other webhook senders: a JSON object, by setting name. */
  WEBHOOK_SECRETS_ID: 'WEBHOOK_SECRETS_ID',
  /** Secrets Manager id of the secrets that callbacks are signed with. */
  CALLBACK_SIGNING_SECRET_ID: 'CALLBACK_SIGNING_SECRET_ID',
  /** `allow` lets callbacks go to this machine over HTTP: for the laptop. */
  CALLBACK_LOOPBACK: 'CALLBACK_LOOPBACK',
  /** `allow` lets tools fetch from this machine, over HTTP too: for the laptop. */
  FETCH_LOOPBACK: 'FETCH_LOOPBACK',
  /** URL of the SQS queue of work that Slack need not wait for. */
  SLACK_JOBS_QUEUE_URL: 'SLACK_JOBS_QUEUE_URL',
  /** Base URL of Slack's Web API. */
  SLACK_API_URL: 'SLACK_API_URL',
  /** Client id of the Slack app. */
  SLACK_CLIENT_ID: 'SLACK_CLIENT_ID',
  /** Secrets Manager id of the Slack app's client secret. */
  SLACK_CLIENT_SECRET_ID: 'SLACK_CLIENT_SECRET_ID',
  /** Secrets Manager id of the secret that Slack signs its requests with. */
  SLACK_SIGNING_SECRET_ID: 'SLACK_SIGNING_SECRET_ID',
  /** What the names of the secrets with bot tokens start with; the workspace's id follows. */
  SLACK_TOKEN_PREFIX: 'SLACK_TOKEN_PREFIX',
  /** Secrets Manager id of the bearer token that the HTTP API asks for. */
  API_TOKEN_SECRET_ID: 'API_TOKEN_SECRET_ID',
  /** Issuer of the JWTs that the HTTP API takes, as in their `iss`. Empty: none are taken. */
  OIDC_ISSUER: 'OIDC_ISSUER',
  /** Audiences, separated by commas: a JWT must be for one of them. */
  OIDC_AUDIENCE: 'OIDC_AUDIENCE',
  /** The claim of a JWT that names its tenant. */
  OIDC_TENANT_CLAIM: 'OIDC_TENANT_CLAIM',
  /** The claim of a JWT that lists roles. */
  OIDC_ROLES_CLAIM: 'OIDC_ROLES_CLAIM',
  /** Messages that a tenant may send in a minute. */
  MESSAGES_PER_MINUTE: 'MESSAGES_PER_MINUTE',
  /** Sessions of a tenant that may run at once. */
  SESSIONS_AT_ONCE: 'SESSIONS_AT_ONCE',
  /** SSE responses of a tenant that may be open at once. */
  STREAMS_AT_ONCE: 'STREAMS_AT_ONCE',
  /** Seconds that an SSE response lasts which only shows a session. */
  WATCH_SECONDS: 'WATCH_SECONDS',
} as const;

/**
 * The model servers of a deployment, by the name that an agent's definition calls them, with the environment
 * variables that say where each is and how its key is sent. What is spoken with one is the definition's to say.
 */
export const modelServers = {
  primary: { baseUrl: env.MODEL_BASE_URL, auth: env.MODEL_AUTH, keySecretId: env.MODEL_KEY_SECRET_ID },
  secondary: {
    baseUrl: env.SECOND_MODEL_BASE_URL,
    auth: env.SECOND_MODEL_AUTH,
    keySecretId: env.SECOND_MODEL_KEY_SECRET_ID,
  },
} as const;

/** Names of the table's keys: `infra/` creates it with them, and `shared/aws` reads and writes by them. */
export const tableLayout = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Epoch seconds after which DynamoDB may delete an item. */
  ttl: 'ttl',
  /** The sparse index of the sessions that wait for a wake: its name, and its keys. KEYS_ONLY. */
  due: { index: 'due', partitionKey: 'dueShard', sortKey: 'sweepAt' },
} as const;
