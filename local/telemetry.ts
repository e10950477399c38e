import type { Telemetry } from '../shared/contract/env.ts';

/**
 * Where runs on this machine are exported to, by OpenTelemetry's own variables; nowhere without an endpoint. What the deploy says is
 * not for here.
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
