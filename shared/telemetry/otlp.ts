/**
 * OTLP in JSON, as a collector takes it over HTTP (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding,
 * OTLP 1.x). Written by hand: docs/adr/0028-telemetry.md.
 */

import type { Attribute, Attributes, Observation, Span } from './span.ts';

/** Bounds of the histograms, as the conventions name them. */
const bounds: Readonly<Record<Observation['metric'], readonly number[]>> = {
  'gen_ai.client.token.usage': Array.from({ length: 14 }, (_, i) => 4 ** i),
  'gen_ai.client.operation.duration': Array.from({ length: 14 }, (_, i) => 2 ** i / 100),
};

const units: Readonly<Record<Observation['metric'], string>> = {
  'gen_ai.client.token.usage': '{token}',
  'gen_ai.client.operation.duration': 's',
};

const scope = { name: 'steploop' };

/** Body of a request to `/v1/traces`. */
export const tracesBody = (spans: readonly Span[], resource: Attributes) => ({
  resourceSpans: [
    {
      resource: { attributes: listOf(resource) },
      scopeSpans: [{ scope, spans: spans.map(spanOf) }],
    },
  ],
});

/**
 * Body of a request to `/v1/metrics`: each observation is a point of its own, and covers the time since the last one
 * (delta).
 */
export const metricsBody = (observations: readonly Observation[], resource: Attributes) => ({
  resourceMetrics: [
    {
      resource: { attributes: listOf(resource) },
      scopeMetrics: [
        {
          scope,
          metrics: [...new Set(observations.map(({ metric }) => metric))].map((name) => ({
            name,
            unit: units[name],
            histogram: {
              aggregationTemporality: 1,
              dataPoints: observations.filter(({ metric }) => metric === name).map(pointOf),
            },
          })),
        },
      ],
    },
  ],
});

function spanOf({ name, kind, startMs, endMs, attributes, events = [], error, ...ids }: Span) {
  return {
    ...ids,
    name,
    kind: kind === 'client' ? 3 : 1,
    startTimeUnixNano: nanos(startMs),
    endTimeUnixNano: nanos(Math.max(startMs, endMs)),
    attributes: listOf(attributes),
    events: events.map((event) => ({
      name: event.name,
      timeUnixNano: nanos(event.atMs),
      attributes: listOf(event.attributes),
    })),
    status: error === undefined ? {} : { code: 2, message: error },
  };
}

function pointOf({ metric, value, startMs, endMs, attributes }: Observation) {
  const explicitBounds = bounds[metric];
  const above = explicitBounds.findIndex((bound) => value <= bound);
  const bucket = above === -1 ? explicitBounds.length : above;
  return {
    startTimeUnixNano: nanos(startMs),
    timeUnixNano: nanos(endMs),
    count: '1',
    ...{ sum: value, min: value, max: value },
    bucketCounts: [...explicitBounds, 0].map((_, i) => (i === bucket ? '1' : '0')),
    explicitBounds,
    attributes: listOf(attributes),
  };
}

/** Epoch ms as ns: a 64-bit number, which this JSON writes as text. */
const nanos = (ms: number): string => `${Math.round(ms)}000000`;

const listOf = (attributes: Attributes) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );

function anyValue(value: Exclude<Attribute, undefined>): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value !== 'number') return { arrayValue: { values: value.map(anyValue) } };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
