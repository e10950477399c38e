import * as z from 'zod';
import type { Effect } from '../../shared/agent/define/index.ts';
import { once } from '../../shared/agent/plain/once.ts';

/** A tool as its server describes it. Only its shape is checked. */
export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** The server's claims about the tool's effects; they may be false. */
  readonly annotations?: {
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
}

/**
 * How a server identifies the caller. Each variant names a secret of the deployment; with `perTenant` its value is a
 * JSON object with one entry for each tenant, and a tenant without one is refused.
 */
export type McpAuth =
  /** A token, sent as `Authorization: Bearer …`. */
  | { readonly bearer: string; readonly perTenant?: boolean }
  /** A key, sent in a header of its own: `x-api-key`. */
  | { readonly header: string; readonly secret: string; readonly perTenant?: boolean }
  /**
   * OAuth: the secret is `{ "clientId", "clientSecret"?, "refreshToken"? }`, and goes only to the token server that
   * `issuer` names. With a refresh token that grant is used, otherwise client credentials.
   */
  | {
      readonly oauth: string;
      readonly issuer: string;
      readonly scope?: string;
      readonly perTenant?: boolean;
    };

/** Default seconds of a call: the timeout of the protocol's own clients. */
export const USUAL_SECONDS = 60;

/** Name of the tool of {@link McpServerOptions.resources}, after the server's name. */
export const READ_RESOURCE = 'read_resource';

/** An MCP server whose tools an agent may call (docs/mcp.md). */
export interface McpServerOptions {
  /** The model calls its tools `<name>__<tool>`. Letters, digits, `-` and `_`, up to 32. */
  readonly name: string;
  /** The URL of its streamable HTTP: `https://…`, or the deployment's setting that holds it. */
  readonly url: string | { readonly setting: string };
  /** If absent, requests carry no credential. */
  readonly auth?: McpAuth;
  /** Tools to take, by the server's names; all if absent. */
  readonly allow?: readonly string[];
  /** Tools to leave out. */
  readonly deny?: readonly string[];
  /**
   * The effect of a second start of each tool, by its name or by a function. A tool without one is `once`, and needs
   * approval.
   */
  readonly effects?: Readonly<Record<string, Effect>> | ((tool: McpTool) => Effect | undefined);
  /**
   * Trusts the server's annotations if `effects` has none: `readOnlyHint` is `read`, `idempotentHint` is `idempotent`.
   * For your own servers.
   */
  readonly trustAnnotations?: boolean;
  /** Tools that run from the queue, by the server's names: those that take more than two minutes. */
  readonly queue?: readonly string[];
  /** Longest call in seconds, at most 840; 60 if absent, like the protocol's own clients. */
  readonly timeoutSeconds?: number;
  /** Most bytes that one call may return, at most 50,000,000; 5,000,000 if absent. */
  readonly maxResultBytes?: number;
  /** Whether people may be asked a server's questions during a call (elicitation); true if absent. */
  readonly elicitation?: boolean;
  /**
   * `person`: when the server asks for a model's text (sampling), a person writes it. If absent, sampling is refused: a
   * server never gets a model call.
   */
  readonly sampling?: 'person';
  /**
   * Adds a tool `read_resource` if the server has resources. It reads them by URI: those that results link to, and
   * those that the server lists. It is `read`, so it needs no approval.
   */
  readonly resources?: boolean;
  /** The server is in your own network: its address may be private, and plain HTTP. */
  readonly privateNetwork?: boolean;
  /** If the server cannot be reached, a session starts without its tools. */
  readonly optional?: boolean;
}

const Name = z.string().min(1);
const effect = z.enum(['read', 'idempotent', 'once']);
const perTenant = z.boolean().optional();
const fn = z.custom<(tool: McpTool) => Effect | undefined>(
  (value) => typeof value === 'function',
  'must be a function, or an object of effects by name',
);

/** The destination of a secret: HTTPS only. */
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

/** Throws with all errors if the options are invalid. */
export function checkOptions(options: McpServerOptions): void {
  const parsed = Options.safeParse(options, once);
  if (!parsed.success) throw new Error(`MCP server ${options.name ?? '?'}: ${z.prettifyError(parsed.error)}`);
  if (typeof options.url === 'string') urlOf(options, options.url);
}

/** The address of a server. Throws if a credential, or confidential data, would go over the wire unencrypted. */
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

/** This machine, where nothing goes over the wire: for a laptop. The guarded `fetch` refuses it on AWS. */
const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);

/** The name of the secret that holds a credential. */
export function secretOf(auth: McpAuth): string {
  if ('bearer' in auth) return auth.bearer;
  return 'oauth' in auth ? auth.oauth : auth.secret;
}
