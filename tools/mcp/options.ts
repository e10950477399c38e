import * as z from 'zod';
import type { Effect } from '../../shared/agent/define/index.ts';

/** A tool as its server describes it. Nothing of it is checked but its shape. */
export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** What the server says of its effects; true or not. */
  readonly annotations?: {
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
}

/**
 * How a server knows who calls it. Each names a secret of the deployment; with `perTenant` its value is a JSON object with one
 * entry for each tenant, and a tenant without one is refused.
 */
export type McpAuth =
  /** A token, sent as `Authorization: Bearer …`. */
  | { readonly bearer: string; readonly perTenant?: boolean }
  /** A key, sent in a header of its own: `x-api-key`. */
  | { readonly header: string; readonly secret: string; readonly perTenant?: boolean }
  /**
   * OAuth: the secret is `{ "clientId", "clientSecret"?, "refreshToken"? }`, and goes to the server of tokens that `issuer` names and
   * nowhere else. With a refresh token that grant is used, else client credentials.
   */
  | {
      readonly oauth: string;
      readonly issuer: string;
      readonly scope?: string;
      readonly perTenant?: boolean;
    };

/** Seconds of a call when nothing is said: what the protocol's own clients wait for an answer. */
export const USUAL_SECONDS = 60;

/** What the tool of {@link McpServerOptions.resources} is called, after the server's name. */
export const READ_RESOURCE = 'read_resource';

/** An MCP server whose tools an agent may call (docs/mcp.md). */
export interface McpServerOptions {
  /** The model calls its tools `<name>__<tool>`. Letters, digits, `-` and `_`, up to 32. */
  readonly name: string;
  /** Where it speaks streamable HTTP: `https://…`, or the setting of the deployment that says so. */
  readonly url: string | { readonly setting: string };
  /** Nobody is named when absent. */
  readonly auth?: McpAuth;
  /** Tools that are taken, by the server's names; all when absent. */
  readonly allow?: readonly string[];
  /** Tools that are left out. */
  readonly deny?: readonly string[];
  /** What a second start of a tool would do, by its name or by a function. What it does not say is `once`, and asked for. */
  readonly effects?: Readonly<Record<string, Effect>> | ((tool: McpTool) => Effect | undefined);
  /** Takes the server's own word where `effects` has none: `readOnlyHint` is `read`, `idempotentHint` is `idempotent`. For servers that are yours. */
  readonly trustAnnotations?: boolean;
  /** Tools that run from the queue, by the server's names: what takes more than two minutes. */
  readonly queue?: readonly string[];
  /** Longest call in seconds, at most 840; 60 when absent, as the protocol's own clients have it. */
  readonly timeoutSeconds?: number;
  /** Bytes that one call may bring, at most 50,000,000; 5,000,000 when absent. */
  readonly maxResultBytes?: number;
  /** Whether people may be asked what the server asks in the midst of a call (elicitation); true when absent. */
  readonly elicitation?: boolean;
  /** `person`: what the server would have a model write (sampling) is written by a person. Refused when absent: no model is ever asked for a server. */
  readonly sampling?: 'person';
  /**
   * Has a tool `read_resource`, which reads resources of the server by their URIs, if it has any: what links in its results lead to, and
   * what it lists. It is `read`, so nobody is asked.
   */
  readonly resources?: boolean;
  /** The server is in a network of yours: its address may be private, and plain HTTP. */
  readonly privateNetwork?: boolean;
  /** A session goes without its tools when the server cannot be reached. */
  readonly optional?: boolean;
}

const Name = z.string().min(1);
const effect = z.enum(['read', 'idempotent', 'once']);
const perTenant = z.boolean().optional();
const fn = z.custom<(tool: McpTool) => Effect | undefined>(
  (value) => typeof value === 'function',
  'must be a function, or an object of effects by name',
);

/** Where a secret is sent: never in the clear. */
const Issuer = z.string().refine(isHttps, 'must be a URL with https://');

const Options = z.strictObject({
  name: Name,
  url: z.union([z.string().refine(isHttp, 'must be a URL'), z.strictObject({ setting: Name })]),
  auth: z
    .union([
      z.strictObject({ bearer: Name, perTenant }),
      z.strictObject({
        header: z.string().regex(/^[A-Za-z0-9-]{1,100}$/, 'must be the name of a header'),
        secret: Name,
        perTenant,
      }),
      z.strictObject({ oauth: Name, issuer: Issuer, scope: z.string().optional(), perTenant }),
    ])
    .optional(),
  allow: z.array(Name).optional(),
  deny: z.array(Name).optional(),
  effects: z.union([z.record(z.string(), effect), fn]).optional(),
  trustAnnotations: z.boolean().optional(),
  queue: z.array(Name).optional(),
  timeoutSeconds: z.number().positive().max(840).optional(),
  maxResultBytes: z.int().positive().max(50_000_000).optional(),
  elicitation: z.boolean().optional(),
  sampling: z.literal('person').optional(),
  resources: z.boolean().optional(),
  privateNetwork: z.boolean().optional(),
  optional: z.boolean().optional(),
});

/** Throws with all that is wrong when options are not valid. */
export function checkOptions(options: McpServerOptions): void {
  const parsed = Options.safeParse(options);
  if (!parsed.success) throw new Error(`MCP server ${options.name ?? '?'}: ${z.prettifyError(parsed.error)}`);
  if (typeof options.url === 'string') urlOf(options, options.url);
}

/** The address of a server. Throws where a credential, or what is confidential, would go over the wire as it is. */
export function urlOf({ name, privateNetwork }: McpServerOptions, text: string): URL {
  const url = URL.parse(text);
  if (!url || !isHttp(text)) throw new Error(`MCP server ${name}: its address must be a URL`);
  if (url.username || url.password)
    throw new Error(
      `MCP server ${name}: its URL must not contain a user name or password; name a secret in "auth"`,
    );
  if (url.protocol !== 'https:' && !privateNetwork && !isLoopback(url))
    throw new Error(`MCP server ${name}: its URL must start with https://`);
  return url;
}

function isHttp(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}

function isHttps(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'https:' || isLoopback(url));
}

/** This machine: on a laptop nothing is on the wire. The guarded `fetch` refuses it on AWS. */
const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);

/** The name of the secret that a credential is read from. */
export function secretOf(auth: McpAuth): string {
  if ('bearer' in auth) return auth.bearer;
  return 'oauth' in auth ? auth.oauth : auth.secret;
}
