/**
 * What Anthropic's SDK uses of OpenTelemetry's API, made to do nothing.
 *
 * Nobody registers a tracer in these functions, so the real one does nothing either, in 11 KB. An
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
  },
};

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
