/** Where functions that commit steps export them to. */

import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Telemetry } from '../shared/contract/env.ts';
import type { Config } from './config.ts';
import type { Handler } from './handler.ts';

/** Always the variable, which the laptop sets to something else; without the prop it says nowhere. */
export function telemetryFor(scope: Construct, { telemetry, name }: Config): { TELEMETRY: string } {
  if (!telemetry) return { TELEMETRY: '{}' };
  const { endpoint, headersSecret, content } = telemetry;
  const to: Telemetry = {
    endpoint,
    service: name,
    ...(headersSecret && { headersSecret: headersSecret.secretArn }),
    ...(content && { content: 'true' }),
  };
  return { TELEMETRY: Stack.of(scope).toJsonString(to) };
}

/** The secret may be anywhere in the account, known by its name alone, and have a key of its own: its own grant knows. */
export function mayExport({ telemetry }: Config, ...handlers: Handler[]): void {
  for (const { role } of handlers) telemetry?.headersSecret?.grantRead(role);
}
