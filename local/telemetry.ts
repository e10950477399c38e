import type { Telemetry } from '../shared/contract/env.ts';

/**
 * The telemetry target of local runs, from OpenTelemetry's own variables; none without an endpoint. The deploy's target does not
 * apply here.
 */
export const telemetryIn = (
  environment: Readonly<Record<string, string | undefined>>,
): Partial<Telemetry> => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = environment;
  const { OTEL_SERVICE_NAME: service } = environment;
  const content = environment.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT === 'true';
  if (!endpoint) return {};
  return {
    endpoint,
    ...(headers && { headers }),
    ...(service && { service }),
    ...(content && { content: 'true' }),
  };
};
