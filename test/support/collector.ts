import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  /** Epoch ms. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly {
    readonly name: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

export interface CollectedPoint {
  readonly metric: string;
  readonly sum: number;
  readonly bucketCounts: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** An OpenTelemetry collector on this machine that takes OTLP in JSON. */
export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  readonly points: readonly CollectedPoint[];
  readonly requests: readonly { readonly path: string; readonly headers: object; readonly body: string }[];
  /** Resolves when a span with this name has come. Rejects after `seconds`. */
  span(name: string, seconds?: number): Promise<CollectedSpan>;
}

/** @param answer the answer to the nth request, from 1: a status, a redirect target, or nothing at all */
export async function startCollector(
  answer: (n: number) => number | { location: string } | 'never' = () => 200,
): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const points: CollectedPoint[] = [];
  const requests: { path: string; headers: object; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    requests.push({ path: request.url ?? '', headers: request.headers, body });
    const status = answer(requests.length);
    if (status === 'never') return;
    if (status === 200) {
      const parsed = JSON.parse(body);
      if (request.url === '/v1/traces') spans.push(...spansIn(parsed));
      if (request.url === '/v1/metrics') points.push(...pointsIn(parsed));
    }
    if (typeof status === 'object') return void response.writeHead(307, status).end();
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ spans, points, requests },
    async span(name, seconds = 30) {
      for (const end = Date.now() + seconds * 1000; Date.now() < end; await pause(50)) {
        const found = spans.find((span) => span.name === name);
        if (found) return found;
      }
      throw new Error(
        `no span ${name} after ${seconds} s, but: ${spans.map((span) => span.name).join(', ')}`,
      );
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire
type Wire = any;

const spansIn = ({ resourceSpans }: Wire): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }: Wire) =>
    scopeSpans.flatMap(({ spans }: Wire) =>
      spans.map((span: Wire) => ({
        ...span,
        startMs: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
        endMs: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
        attributes: { ...recordOf(resource.attributes), ...recordOf(span.attributes) },
        events: span.events.map((event: Wire) => ({ ...event, attributes: recordOf(event.attributes) })),
      })),
    ),
  );

const pointsIn = ({ resourceMetrics }: Wire): CollectedPoint[] =>
  resourceMetrics.flatMap(({ scopeMetrics }: Wire) =>
    scopeMetrics.flatMap(({ metrics }: Wire) =>
      metrics.flatMap(({ name, histogram }: Wire) =>
        histogram.dataPoints.map((point: Wire) => ({
          ...point,
          metric: name,
          attributes: recordOf(point.attributes),
        })),
      ),
    ),
  );

const recordOf = (list: Wire): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }: Wire) => [key, plain(value)]));

function plain(value: Wire): unknown {
  if ('arrayValue' in value) return value.arrayValue.values.map(plain);
  if ('intValue' in value) return Number(value.intValue);
  return Object.values(value)[0];
}
