import * as z from 'zod';
import { WebhookName } from '../../contract/session.ts';
import type { Agent } from './agent.ts';
import { CapitalName } from './names.ts';
import type { ProviderDefinition } from './provider.ts';
import type { SlackConfig } from './slack.ts';
import type { WebhookSource } from './webhook.ts';

const has = (...keys: string[]) => {
  return (value: unknown): boolean =>
    typeof value === 'object' && value !== null && keys.every((key) => key in value);
};
const agent = z.custom<Agent>(has('name', 'limits', 'tools'), 'use defineAgent');
const provider = z.custom<ProviderDefinition>(has('protocol'), 'use defineProvider');
const webhook = z.custom<WebhookSource>(has('verify', 'map', 'tenant'), 'use defineWebhook');

/** Secrets Manager takes 2,048 characters, and some are ours. */
const description = z.string().min(1).max(1000);

const Setting = z.strictObject({
  /** What it is for: shown where a value is missing. */
  description,
  /** The value where a deploy gives no other. Without it, a deploy must. */
  default: z.string().optional(),
});

const Secret = z.strictObject({
  /** What it is for: the description of the secret that is made. */
  description,
});

/** How a model server and a provider may be named: agents say it in `model.server` and `model.provider`. */
const ModelName = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'use letters, digits, - and _ only');

const ModelServer = z.strictObject({
  /** Where the API is, without the path of its one operation. */
  baseUrl: z.url({ protocol: /^https?$/, error: 'must be a URL that starts with https:// or http://' }),
  /** How the key is sent: Anthropic and OpenAI take `bearer`; some compatible servers look at `x-api-key`. */
  auth: z.enum(['bearer', 'x-api-key', 'both']).default('bearer'),
  /** Names the secret that has its key. Absent for servers that look at none. */
  secret: CapitalName.optional(),
});

const claim = z.string().min(1);
const audience = z.string().regex(/^[^,]+$/, 'no comma may be in it');
const Identity = z.strictObject({
  /** Exactly as in the `iss` of the JWTs. Over HTTP only on this machine, for the laptop. */
  issuer: z
    .string()
    .regex(
      /^https:\/\/.+|^http:\/\/127\.0\.0\.1(:[0-9]+)?(\/.*)?$/,
      'must be a URL that starts with https://',
    ),
  /** Whom a JWT must be for: one of these. No comma may be in them. */
  audience: z
    .union([audience, z.array(audience).min(1)], 'name at least one')
    .transform((given) => (typeof given === 'string' ? [given] : given)),
  /** The claim that names the tenant. */
  tenantClaim: claim.default('tenant'),
  /** The claim that lists roles; `steploop-admin` may administer the tenant. */
  rolesClaim: claim.default('roles'),
});

/** What `defineDeployment` takes. */
export const DeploymentKeys = z.strictObject({
  /** Each has a name of its own. */
  agents: z.array(agent).min(1, 'name at least one agent'),
  /** By the last part of their URL: `POST /hooks/{name}`. Absent: no webhooks are taken. */
  webhooks: z.record(WebhookName, webhook).default({}),
  /** Who answers in Slack. Absent: there is no Slack app. */
  slack: z
    .custom<SlackConfig>(
      (value) => has('agentFor')(value) && typeof (value as SlackConfig).agentFor === 'function',
      'agentFor must be a function',
    )
    // It was the only rule once: passing it over in silence would let everybody decide.
    .refine((config) => !('mayDecide' in config), 'mayDecide has moved: say it in defineAgent({ mayDecide })')
    .optional(),
  /** Whether pages may talk to agents over AG-UI. */
  agui: z.boolean().default(false),
  /** Whether pages may talk to agents with `useChat` of the AI SDK. */
  chat: z.boolean().default(false),
  /** Whether sessions may have their ends and waits posted to a URL. */
  callbacks: z.boolean().default(false),
  /** What tools read with `context.setting`, by name. */
  settings: z.record(CapitalName, Setting).default({}),
  /** What tools read with `context.secret`, what model servers and webhooks are known by; by name. */
  secrets: z.record(CapitalName, Secret).default({}),
  /** Model servers, by the name that agents call them. Absent: Anthropic's own as `primary`. */
  models: z.record(ModelName, ModelServer).optional(),
  /** Providers of your own, by the name that agents call them: beside `anthropic`, `openai` and `openai-xml`. */
  providers: z.record(ModelName, provider).default({}),
  /** Whose JWTs the APIs take. Absent: nobody's. */
  identity: Identity.optional(),
});

/** What `defineDeployment` takes. */
export type DeploymentDefinition = z.input<typeof DeploymentKeys>;
/** A deployment: validated, defaults filled in, frozen. */
export type Deployment = Readonly<
  Omit<z.output<typeof DeploymentKeys>, 'models'> & {
    models: Readonly<Record<string, z.output<typeof ModelServer>>>;
  }
>;
