import type { ConsoleConfig } from '../../shared/contract/console.ts';

/** The function's environment. */
export interface ConsoleEnvironment {
  readonly socketUrl: string;
  readonly issuer: string | undefined;
  /** Separated by commas. */
  readonly audiences: string | undefined;
  readonly clientId: string | undefined;
  /** Separated by spaces. */
  readonly origins: string | undefined;
}

export interface Found {
  /** The configuration that the page reads. */
  readonly told: ConsoleConfig;
  /** Origins that the page may connect to, besides its own. */
  readonly connects: readonly string[];
}

export function findConfig({ socketUrl, issuer, audiences, clientId, origins }: ConsoleEnvironment): Found {
  const signIn = issuer && clientId ? { issuer, clientId } : undefined;
  const isForClient = (audiences ?? '').split(',').some((audience) => audience.trim() === clientId);
  return {
    told: {
      socketUrl,
      ...(signIn && { oidc: { ...signIn, token: isForClient ? 'id_token' : 'access_token' } }),
    },
    connects: [
      new URL(socketUrl).origin,
      ...(signIn ? [new URL(signIn.issuer).origin, ...(origins?.split(' ') ?? [])] : []),
    ],
  };
}

/** The Content-Security-Policy of the page: scripts and styles only from its own files. */
export const contentPolicy = ({ connects }: Found): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${connects.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
