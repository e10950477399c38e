import * as z from 'zod';
import type { Effect } from '../../shared/agent/define/index.ts';
import { once } from '../../shared/agent/plain/once.ts';

/**
 * How a remote agent identifies the caller. Each variant names a secret of the deployment; with `perTenant` its value is a JSON
 * object with one entry for each tenant, and a tenant without one is refused.
 */
export type RemoteAuth =
  /** A token, sent as `Authorization: Bearer …`. */
  | { readonly bearer: string; readonly perTenant?: boolean }
  /** A key, sent in a header of its own: `x-api-key`. */
  | { readonly header: string; readonly secret: string; readonly perTenant?: boolean };

/** Seconds that a call waits for the end of its task by default. */
export const USUAL_WAIT = 300;

/** An agent of another system that an agent may ask (docs/remote-agents.md). */
export interface RemoteAgentOptions {
  /** The name under which the model calls it: letters, digits, `_` and `-`, up to 64. */
  readonly name: string;
  /** When to ask it: the description by which the model decides. */
  readonly when: string;
  /**
   * The agent's address, `https://…`, or the deployment's setting that holds it. Its card is at
   * `<url>/.well-known/agent-card.json`, or the URL is that of the card and ends in `.json`.
   */
  readonly url: string | { readonly setting: string };
  /** If absent, requests carry no credential. */
  readonly auth?: RemoteAuth;
  /** Other origins, `https://api.example.com`, at which its card may say that it is served: they get the credential. */
  readonly origins?: readonly string[];
  /**
   * The effect of a task, for approvals and policies: `read` if the agent only looks things up, `once` if people are to approve
   * each task by default. `idempotent` when absent, since a call that runs again begins no second task.
   */
  readonly effect?: Effect;
  /** Whether people approve each call; by the agent's `approvals` and policies when absent. */
  readonly approval?: 'always' | 'never';
  /** Whether its questions go to people, who answer in this session, or to the model. `people` by default. */
  readonly questions?: 'people' | 'model';
  /** Seconds that a call waits for the end of its task, up to 780; 300 by default. Then the model can ask again. */
  readonly waitSeconds?: number;
  /**
   * Has the agent notify a callback URL when a task takes longer than `waitSeconds`, if its card offers push notifications: then the
   * run waits without compute, for a day by default. The URL must be reachable for the agent.
   */
  readonly push?: { readonly expiresAfterSeconds?: number };
  /** Whether the agent takes a message with a known `messageId` for the same one. Then it is repeated if a worker died. */
  readonly deduplicates?: boolean;
  /** Most bytes of one answer, at most 50,000,000; 5,000,000 by default. */
  readonly maxResultBytes?: number;
}

const Name = z.string().min(1);
const perTenant = z.boolean().optional();

const Options = z.strictObject({
  name: Name,
  when: z.string().min(1),
  url: z.union([Name, z.strictObject({ setting: Name })]),
  auth: z
    .union([
      z.strictObject({ bearer: Name, perTenant }),
      z.strictObject({
        header: z.string().regex(/^[A-Za-z0-9-]{1,100}$/, 'must be the name of a header'),
        secret: Name,
        perTenant,
      }),
    ])
    .optional(),
  origins: z
    .array(z.string().refine((text) => URL.parse(text)?.origin === text, 'must be an origin: https://…'))
    .optional(),
  effect: z.enum(['read', 'idempotent', 'once']).optional(),
  approval: z.enum(['always', 'never']).optional(),
  questions: z.enum(['people', 'model']).optional(),
  waitSeconds: z.number().min(1).max(780).optional(),
  push: z.strictObject({ expiresAfterSeconds: z.int().min(1).max(2_592_000).optional() }).optional(),
  deduplicates: z.boolean().optional(),
  maxResultBytes: z.int().positive().max(50_000_000).optional(),
});

/** Throws with all errors if the options are invalid. */
export function checkOptions(options: RemoteAgentOptions): void {
  const parsed = Options.safeParse(options, once);
  if (!parsed.success)
    throw new Error(`remote agent ${options.name ?? '?'}: ${z.prettifyError(parsed.error)}`);
  if (typeof options.url === 'string') addressOf(options, options.url);
}

/** The agent's address. Throws if a credential, or a task, would go over the wire unencrypted. */
export function addressOf({ name }: Pick<RemoteAgentOptions, 'name'>, text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error(`remote agent ${name}: its address must be a URL with https://`);
  if (url.username || url.password)
    throw new Error(
      `remote agent ${name}: its URL must not contain a user name or password; name a secret in "auth"`,
    );
  if (url.protocol !== 'https:' && !isLoopback(url))
    throw new Error(`remote agent ${name}: its URL must start with https://`);
  return url;
}

/** This machine, where nothing goes over the wire: for a laptop. The guarded `fetch` refuses it on AWS. */
const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
