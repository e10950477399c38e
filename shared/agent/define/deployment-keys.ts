import * as z from 'zod';
import { WebhookName } from '../../contract/session.ts';
import { Price } from '../config/price.ts';
import type { Agent } from './agent.ts';
import type { ChannelDefinition } from './channel.ts';
import { Email } from './email.ts';
import { CapitalName } from './names.ts';
import type { ProviderDefinition } from './provider.ts';
import type { DeclaredSchedule } from './schedule.ts';
import type { SlackConfig } from './slack.ts';
import type { WebhookSource } from './webhook.ts';

const has = (...keys: string[]) => {
  return (value: unknown): boolean =>
    typeof value === 'object' && value !== null && keys.every((key) => key in value);
};
const agent = z.custom<Agent>(has('name', 'limits', 'tools'), 'use defineAgent');
const provider = z.custom<ProviderDefinition>(has('protocol'), 'use defineProvider');
const webhook = z.custom<WebhookSource>(has('verify', 'map', 'tenant'), 'use defineWebhook');
const channel = z.custom<ChannelDefinition>(has('verify', 'read', 'ask', 'answer'), 'use defineChannel');
const schedule = z.custom<DeclaredSchedule>(has('name', 'when', 'tenants'), 'use defineSchedule');

/** Secrets Manager allows 2,048 characters, and Steploop adds some. */
const description = z.string().min(1).max(1000);

const Setting = z.strictObject({
  /** Its purpose. Shown if a value is missing. */
  description,
  /** The value if a deploy gives none. Without it, a deploy must give one. */
  default: z.string().optional(),
});

const Secret = z.strictObject({
  /** Its purpose: the description of the secret that is created. */
  description,
});

/** Names of model servers and providers. Agents use them in `model.server` and `model.provider`. */
const ModelName = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'use letters, digits, - and _ only');

const ModelServer = z.strictObject({
  /** The base URL of the API, without the path of its operation. */
  baseUrl: z.url({ protocol: /^https?$/, error: 'must be a URL that starts with https:// or http://' }),
  /**
   * How the key is sent: Anthropic and OpenAI accept `bearer`; some compatible servers expect `x-api-key`. The provider `gemini`
   * always uses `x-goog-api-key`.
   */
  auth: z.enum(['bearer', 'x-api-key', 'both']).default('bearer'),
  /** The secret that has its key, by name. Absent for servers that need no key. */
  secret: CapitalName.optional(),
  /**
   * For Bedrock without a secret: names or ARNs of models that the step function's role may ask besides those of agents, such as
   * one that sessions began with before it was changed. `*` at the end stands for any end.
   */
  allow: z
    .array(
      z
        .string()
        .regex(/^[\w.:/-]{1,200}\*?$/, 'must be the name or the ARN of a model, or its beginning and *'),
    )
    .max(50)
    .optional(),
});

const claim = z.string().min(1);
const audience = z.string().regex(/^[^,]+$/, 'no comma may be in it');
const Identity = z.strictObject({
  /** Exactly as in the `iss` of the JWTs. HTTP is allowed only for this machine, for the laptop. */
  issuer: z
    .string()
    .regex(
      /^https:\/\/.+|^http:\/\/127\.0\.0\.1(:[0-9]+)?(\/.*)?$/,
      'must be a URL that starts with https://',
    ),
  /** Allowed audiences: a JWT must be for one of these. They may not contain commas. */
  audience: z
    .union([audience, z.array(audience).min(1)], 'name at least one')
    .transform((given) => (typeof given === 'string' ? [given] : given)),
  /** The claim that names the tenant. */
  tenantClaim: claim.default('tenant'),
  /** The claim that lists roles; `steploop-admin` may administer the tenant. */
  rolesClaim: claim.default('roles'),
});

const asked = z.string().trim().min(1).max(4_000);
const Reactions = z.record(z.string().regex(/^[^\s:]{1,100}$/), asked);
/** Slack takes ten shortcuts, with ids of up to 255 characters (docs.slack.dev, app manifest, "shortcuts"). */
const Shortcuts = z
  .record(
    z.string().regex(/^[\w-]{1,255}$/),
    z.strictObject({ title: z.string().trim().min(1).max(150), asks: asked }),
  )
  .refine((all) => Object.keys(all).length <= 10);

/** The argument of `defineDeployment`. */
export const DeploymentKeys = z.strictObject({
  /** Each has a unique name. */
  agents: z.array(agent).min(1, 'name at least one agent'),
  /** By the last part of their URL: `POST /hooks/{name}`. When absent, no webhooks are accepted. */
  webhooks: z.record(WebhookName, webhook).default({}),
  /** Schedules, which begin runs by the clock. Each has a unique name. The API can create more. */
  schedules: z.array(schedule).default([]),
  /** The agents that answer in Slack. When absent, there is no Slack app. */
  slack: z
    .custom<SlackConfig>(
      (value) => has('agentFor')(value) && typeof (value as SlackConfig).agentFor === 'function',
      'agentFor must be a function',
    )
    // It used to be the only rule: if it were ignored silently, everybody could decide.
    .refine((config) => !('mayDecide' in config), 'mayDecide has moved: set it in defineAgent({ mayDecide })')
    .refine(({ replies = has }) => typeof replies === 'function', 'replies must be a function')
    .refine(({ taskCards = true }) => typeof taskCards === 'boolean', 'taskCards must be true or false')
    .refine(
      ({ bots = [] }) => Array.isArray(bots) && bots.every((one) => /^[AB][A-Z0-9]{1,31}$/.test(one)),
      'bots must be ids of bots (B…) or apps (A…)',
    )
    .refine(
      ({ reactions = {} }) => Reactions.safeParse(reactions).success,
      'reactions must be texts by names of emoji, without colons and skin tones',
    )
    .refine(
      ({ shortcuts = {} }) => Shortcuts.safeParse(shortcuts).success,
      'shortcuts must be at most ten, by ids of letters, digits, - and _, with title and asks',
    )
    .optional(),
  /** The addresses at which agents answer mails. When absent, there is no e-mail. */
  email: Email.optional(),
  /** Channels of your own, by the last part of their URL: `POST /channels/{name}`. `email` is taken. */
  channels: z
    .record(WebhookName, channel)
    .refine((all) => !Object.hasOwn(all, 'email'), 'email is the channel that ships: choose another name')
    .default({}),
  /** Whether pages may talk to agents over AG-UI. */
  agui: z.boolean().default(false),
  /** Whether pages may talk to agents with `useChat` of the AI SDK. */
  chat: z.boolean().default(false),
  /** Whether MCP clients reach the agents as tools, over streamable HTTP at `HttpUrl` followed by `/mcp`. */
  mcp: z.boolean().default(false),
  /** Whether agents of other systems reach the agents over A2A, at `HttpUrl` followed by `/a2a/` and the agent's name. */
  a2a: z.boolean().default(false),
  /** Whether sessions may have their ends and waits posted to a URL. */
  callbacks: z.boolean().default(false),
  /** Values that tools read with `context.setting`, by name. */
  settings: z.record(CapitalName, Setting).default({}),
  /** Values that tools read with `context.secret`, and keys of model servers and webhooks, by name. */
  secrets: z.record(CapitalName, Secret).default({}),
  /** Model servers, by the name that agents use. When absent: Anthropic's own as `primary`. */
  models: z.record(ModelName, ModelServer).optional(),
  /**
   * Prices of models by the beginning of their name, as agents write it: the longest key that fits counts. For models without a
   * `price` of their own, in place of the built-in list.
   */
  prices: z.record(z.string().min(1).max(200), Price).default({}),
  /** Your own providers, by the name that agents use, in addition to the built-in ones (docs/providers.md). */
  providers: z.record(ModelName, provider).default({}),
  /** The issuer whose JWTs the APIs accept. When absent, they accept none. */
  identity: Identity.optional(),
});

/** The argument of `defineDeployment`. */
export type DeploymentDefinition = z.input<typeof DeploymentKeys>;
/** A deployment: validated, defaults filled in, frozen. */
export type Deployment = Readonly<
  Omit<z.output<typeof DeploymentKeys>, 'models'> & {
    models: Readonly<Record<string, z.output<typeof ModelServer>>>;
  }
>;
