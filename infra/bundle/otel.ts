/**
 * What Anthropic's SDK uses of OpenTelemetry's API, and its client of the SDK's own tracing, made to do nothing.
 *
 * Nobody registers a tracer in these functions, so the real ones do nothing either: the API in 11 KB, the SDK's side of
 * it in 14. An agent that imports `@opentelemetry/api` itself gets the real one.
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
 * What the SDK's client and its promises ask of the SDK's tracing. A client without a tracer begins no span, so that there
 * is none to end, to tell of an attempt or to send along.
 */
const tracing = `
  const nothing = () => undefined;
  export const resolveOpenTelemetryOptions = () => ({ propagation: false, traces: {} });
  export { nothing as getTracer, nothing as guardTracing };
  export { nothing as recordAttempt, nothing as setCreatedIDAttribute, nothing as endApiCallSpan };
  export { nothing as injectTraceHeaders, nothing as takeTraceHeaders, nothing as withoutTraceHeaders };
  export { nothing as endAnthropicApiCallSpanWhenStreamEnds };
`;

/** Without a tracer the SDK goes on as if tracing were off, so the rest only has to be there. */
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
