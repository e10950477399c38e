import * as z from 'zod';
import { type Amount, toMicroUsd } from '../../shared/agent/budgets/amount.ts';
import type { env } from '../../shared/contract/env.ts';

type Name = keyof typeof env;

/**
 * Reads the environment variables that a function needs. Throws at cold start and names each missing one, so a wrong deployment
 * fails at once with the reason.
 */
export function readEnv<const Names extends readonly Name[]>(...names: Names): Record<Names[number], string> {
  const shape = Object.fromEntries(names.map((name) => [name, z.string().min(1)]));
  const parsed = z.object(shape).safeParse(process.env);
  if (!parsed.success) throw new Error(`environment of this function:\n${z.prettifyError(parsed.error)}`);
  return parsed.data as Record<Names[number], string>;
}

/** A variable that may be empty or absent, which turns off what it configures. */
export const optionalEnv = (name: Name): string | undefined => process.env[name] || undefined;
/** The default daily limits of a tenant. Throws at cold start and names each value that is not a number of 0 or more. */
export function tenantLimits(): Amount {
  const limit = (name: Name) => {
    const value = Number(process.env[name] ?? 0);
    if (!(value >= 0)) throw new Error(`environment of this function: ${name} must be a number of 0 or more`);
    return value;
  };
  return {
    tokens: Math.floor(limit('TENANT_TOKENS_PER_DAY')),
    microUsd: toMicroUsd(limit('TENANT_USD_PER_DAY')),
    steps: Math.floor(limit('TENANT_STEPS_PER_DAY')),
  };
}

/**
 * A variable that holds a JSON object of strings; absent counts as empty. Throws at cold start if it holds anything else, without
 * quoting its value.
 */
export function envRecord(name: Name): Readonly<Record<string, string>> {
  try {
    const parsed = z.record(z.string(), z.string()).parse(JSON.parse(process.env[name] || '{}'));
    // No prototype, because a model server may be called "constructor".
    return Object.assign(Object.create(null), parsed);
  } catch {
    throw new Error(`environment of this function: ${name} must be a JSON object of texts`);
  }
}

/** The SDKs' own variable for another S3 endpoint. The code that reads S3 without an SDK client must honour it too. */
export const s3Endpoint = (): string | undefined =>
  process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL;
