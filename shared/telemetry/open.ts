/**
 * The exporter of a function: read where a collector is named, with the first step that is committed. Neither this nor what it reads
 * imports anything that a cold start reads: each such module would be split from the others.
 */

import type { Clock } from '../agent/ports.ts';
import type { Telemetry } from '../contract/env.ts';
import type { Secrets } from '../edge/secrets.ts';
import type { log as Log } from '../logger.ts';
import { type Exporter, openExporter } from './exporter.ts';

export interface Outside {
  readonly secrets: Pick<Secrets, 'get'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: typeof Log;
  /** The process's own variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * To where the variable `TELEMETRY` says. Throws when it says nothing of the kind.
 *
 * @param telemetry its value
 */
export function exporterTo(telemetry: string, { secrets, clock, log, environment }: Outside): Exporter {
  const to: Partial<Telemetry> = JSON.parse(telemetry);
  const { endpoint, service = 'steploop', headersSecret, headers = '', content } = to;
  if (!endpoint) throw new Error('environment of this function: TELEMETRY names no endpoint');
  return openExporter({
    endpoint,
    headers: async () => (headersSecret ? secrets.get(headersSecret) : headers),
    content: content === 'true',
    // https://opentelemetry.io/docs/specs/semconv/resource/faas/
    resource: {
      'service.name': service,
      'service.instance.id': environment.AWS_LAMBDA_LOG_STREAM_NAME,
      'faas.name': environment.AWS_LAMBDA_FUNCTION_NAME,
      'faas.version': environment.AWS_LAMBDA_FUNCTION_VERSION,
      'cloud.region': environment.AWS_REGION,
    },
    now: clock.now,
    missed: (facts) => log('warn', 'telemetry was not exported', { ...facts }),
  });
}
