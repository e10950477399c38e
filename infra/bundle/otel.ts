/**
 * Replaces OpenTelemetry's API, as Anthropic's SDK uses it, and the SDK's own tracing client by stubs that do nothing.
 *
 * These functions register no tracer, so the real ones do nothing either: 11 KB for the API, 14 for the SDK's side of it. An
 * agent that imports `@opentelemetry/api` itself gets the real one.
 */

import type { Plugin } from 'esbuild';

export const otelDiet: Plugin = {
  name: 'otel-diet',
  setup(build) {
    build.onResolve({ filter: /^@opentelemetry\/api$/ }, ({ importer }) =>
      /node_modules[\\/]@anthropic-ai[\\/]sdk[\\/]/.test(importer)
        ? { path: 'otel', namespace: 'otel' }
        : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'otel' }, () => ({ contents: noop }));

    build.onResolve({ filter: /\/internal\/tracing\.mjs$/ }, ({ importer }) =>
      /node_modules[\\/]@anthropic-ai[\\/]sdk[\\/](client|core[\\/]api-promise)\.mjs$/.test(importer)
        ? { path: 'tracing', namespace: 'otel-tracing' }
        : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'otel-tracing' }, () => ({ contents: tracing }));
  },
};

/**
 * The tracing functions that the SDK's client and its promises call. A client without a tracer begins no span, so there is none
 * to end, to annotate or to propagate.
 */
const tracing = `
  const nothing = () => undefined;
  export const resolveOpenTelemetryOptions = () => ({ propagation: false, traces: {} });
  export { nothing as getTracer, nothing as guardTracing };
  export { nothing as recordAttempt, nothing as setCreatedIDAttribute, nothing as endApiCallSpan };
  export { nothing as injectTraceHeaders, nothing as takeTraceHeaders, nothing as withoutTraceHeaders };
  export { nothing as endAnthropicApiCallSpanWhenStreamEnds };
`;

/** Without a tracer the SDK behaves as if tracing were off, so the other exports only have to exist. */
const noop = `
  export const trace = {
    getTracerProvider: () => ({ getTracer: () => undefined }),
    setSpan: (context) => context,
    isSpanContextValid: () => false,
  };
  export const context = { active: () => ({}), with: (_, run, self, ...args) => run.apply(self, args) };
  export const propagation = { inject() {}, fields: () => [] };
  export const SpanKind = {};
  export const SpanStatusCode = {};
`;
