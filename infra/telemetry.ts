/** The telemetry target of functions that commit steps. */

import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Telemetry } from '../shared/contract/env.ts';
import type { Config } from './config.ts';
import type { Handler } from './handler.ts';

/** Always sets the variable, because the laptop overrides it; without the prop it names no target. */
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

/** The secret may be anywhere in the account, known only by its name, and have a key of its own, so its own grant is used. */
export function mayExport({ telemetry }: Config, ...handlers: Handler[]): void {
  for (const { role } of handlers) telemetry?.headersSecret?.grantRead(role);
}
