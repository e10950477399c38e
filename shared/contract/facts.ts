/** The facts of a definition that infrastructure and the laptop use: plain JSON, made by `describeDeployment`. */
export interface DeploymentFacts {
  readonly agents: readonly AgentFacts[];
  /** By name. */
  readonly settings: Readonly<Record<string, SettingFacts>>;
  /** By name. */
  readonly secrets: Readonly<Record<string, { readonly description: string }>>;
  /** Names of the secrets that each function reads; it is granted no other. */
  readonly secretsOf: Readonly<Record<SecretReader, readonly string[]>>;
  /** Model servers by name. */
  readonly models: Readonly<Record<string, ModelServerFacts>>;
  /** Models that the step function asks Bedrock for by its role: names, ARNs, or beginnings that end with `*`. */
  readonly bedrockModels: readonly string[];
  /** Last parts of the URLs `POST /hooks/{name}`. */
  readonly webhooks: readonly string[];
  /** Packages that it needs and that do not come with this one. */
  readonly packages: readonly OptionalPackage[];
  /** Hash of the schedules, so that the sweeper notices when a deploy changes them; empty if there are none. */
  readonly schedules: string;
  readonly slack: boolean;
  /** Addresses at which agents answer mails. */
  readonly mailboxes: readonly string[];
  /** Last parts of the URLs `POST /channels/{name}`. */
  readonly channels: readonly string[];
  /** Whether answers in Slack have buttons with which people rate them. */
  readonly slackFeedback: boolean;
  /** Whether calls and tasks are shown as task cards in Slack. */
  readonly slackTaskCards: boolean;
  readonly agui: boolean;
  readonly chat: boolean;
  readonly mcp: boolean;
  readonly a2a: boolean;
  readonly callbacks: boolean;
  /** Whether a tool of any agent runs from the queue. */
  readonly queuedTools: boolean;
  /** Whether a tool that runs in steps starts a shell or a compiler, which has memory of its own. */
  readonly heavySteps: boolean;
  /** The issuer whose JWTs are accepted; absent: none are. */
  readonly identity?: IdentityFacts;
}

/** Packages that only some definitions need: the SDK of the provider `openai`, the one that verifies webhooks of Stripe, and
 * those of MCP and A2A servers. */
export type OptionalPackage = 'openai' | 'stripe' | '@modelcontextprotocol/server' | '@a2a-js/sdk';

/** Functions that read secrets of the definition: those that run inline tools and models, queued tools, webhooks, and channels. */
export type SecretReader = 'step' | 'tool' | 'hooks' | 'channels' | 'deliver';

export interface AgentFacts {
  readonly name: string;
  /** Its tools that must not be called twice, and that start without an approval. */
  readonly unasked: readonly string[];
  /** The skills that it names: folders in the project's folder `skills`. */
  readonly skills: readonly string[];
}

export interface SettingFacts {
  readonly description: string;
  /** Absent: a deploy must give it a value. */
  readonly default?: string;
}

export interface ModelServerFacts {
  readonly baseUrl: string;
  /** How the key is sent. */
  readonly auth: 'bearer' | 'x-api-key' | 'both';
  /** Name of the secret that has its key; absent for servers that need none. */
  readonly secret?: string;
}

export interface IdentityFacts {
  /** As in the `iss` of a JWT. */
  readonly issuer: string;
  /** A JWT must be for one of them. */
  readonly audiences: readonly string[];
  /** The claim that names the tenant. */
  readonly tenantClaim: string;
  /** The claim that lists roles. */
  readonly rolesClaim: string;
}
