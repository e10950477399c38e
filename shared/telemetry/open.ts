/**
 * The exporter of a function: loaded where a collector is named, with the first committed step. Neither this module nor
 * what it imports may import modules of the cold start, except those that are in chunks of their own anyway: the
 * bundler would split every other one off into a chunk.
 */

import type { StepReport, StepTrace } from '../agent/ports/meter.ts';
import type { Clock } from '../agent/ports/ports.ts';
import type { Telemetry } from '../contract/env.ts';
import type { Secrets } from '../edge/secrets.ts';
import type { log as Log } from '../logger.ts';
import { type Exporter, openExporter } from './exporter.ts';

interface Outside {
  readonly secrets: Pick<Secrets, 'get'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: typeof Log;
}

/** The exporters of this environment: one is enough, but tests have several. */
const exporters = new Map<string, Exporter>();

/**
 * Exports a step to the collector that the variable `TELEMETRY` names. Never rejects.
 *
 * @param telemetry its value
 */
export async function exportStep(
  telemetry: string,
  outside: Outside,
  report: StepReport,
  trace: (() => StepTrace) | undefined,
): Promise<void> {
  try {
    const send = exporters.get(telemetry) ?? exporterTo(telemetry, outside);
    exporters.set(telemetry, send);
    if (trace) await send(report, trace());
  } catch {
    outside.log('warn', 'telemetry could not be made');
  }
}

function exporterTo(telemetry: string, { secrets, clock, log }: Outside): Exporter {
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
      'service.instance.id': process.env.AWS_LAMBDA_LOG_STREAM_NAME,
      'faas.name': process.env.AWS_LAMBDA_FUNCTION_NAME,
      'faas.version': process.env.AWS_LAMBDA_FUNCTION_VERSION,
      'cloud.region': process.env.AWS_REGION,
    },
    now: clock.now,
    missed: (facts) => log('warn', 'telemetry was not exported', { ...facts }),
  });
}
