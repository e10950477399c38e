/** Sends what committed steps say to an OpenTelemetry collector: OTLP over HTTP, in JSON. */

import type { StepReport, StepTrace } from '../agent/ports.ts';
import { headersIn } from './headers.ts';
import { metricsBody, tracesBody } from './otlp.ts';
import type { Attributes } from './span.ts';
import { exportOf } from './spans.ts';

/** Longest time in ms that an invocation waits for a collector. */
export const EXPORT_MS = 1_000;

/** Time in ms for which a collector is left alone that has not taken something. */
export const LEFT_ALONE_MS = 30_000;

export interface ExporterOptions {
  /** Base URL: `/v1/traces` and `/v1/metrics` are behind it. */
  readonly endpoint: string;
  /** Headers of each request, as `name=value,name=value` with values percent-encoded, as `OTEL_EXPORTER_OTLP_HEADERS` has them. */
  readonly headers: () => Promise<string>;
  readonly content: boolean;
  /** What of the process all of it is said by. */
  readonly resource: Attributes;
  /** Epoch ms. */
  readonly now: () => number;
  /** Told of a signal that could not be exported, once until it can be again. Never told what was in it. */
  readonly missed: (facts: Missed) => void;
}

export interface Missed {
  readonly signal: Signal;
  /** Of an answer that was no. */
  readonly status?: number;
  /** Of a request that had none. */
  readonly errorCode?: string;
}

type Signal = 'traces' | 'metrics';

/** Exports a step. Never rejects, and is over within {@link EXPORT_MS}. */
export type Exporter = (report: StepReport, trace: StepTrace) => Promise<void>;

export function openExporter(options: ExporterOptions): Exporter {
  const send = { traces: sender('traces', options), metrics: sender('metrics', options) };
  const { content, resource } = options;
  return async (report, trace) => {
    const { spans, observations } = exportOf(report, trace, content);
    await Promise.all([
      send.traces(() => tracesBody(spans, resource)),
      observations.length > 0 ? send.metrics(() => metricsBody(observations, resource)) : undefined,
    ]);
  };
}

/** Each signal by itself: many servers take traces alone. */
function sender(signal: Signal, { endpoint, headers, now, missed }: ExporterOptions) {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/${signal}`;
  let againAt = 0;
  let isMissed = false;
  const failed = (facts: Omit<Missed, 'signal'>): void => {
    againAt = now() + LEFT_ALONE_MS;
    if (!isMissed) missed({ signal, ...facts });
    isMissed = true;
  };
  return async (body: () => object): Promise<void> => {
    if (now() < againAt) return;
    try {
      const within = AbortSignal.timeout(EXPORT_MS);
      const sent = await Promise.race([
        headers().then((text) =>
          fetch(url, {
            method: 'POST',
            headers: { ...headersIn(text), 'content-type': 'application/json' },
            body: JSON.stringify(body()),
            // Headers that let one in are for this address alone.
            redirect: 'manual',
            signal: within,
          }),
        ),
        aborted(within),
      ]);
      await sent.body?.cancel();
      if (!sent.ok) return failed({ status: sent.status });
      isMissed = false;
    } catch (error) {
      failed({ errorCode: codeOf(error) });
    }
  };
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

/** What kind of error it is. Its words may have the address in them, and that a key. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code: unknown = error.cause instanceof Error ? Reflect.get(error.cause, 'code') : undefined;
  return typeof code === 'string' ? code : error.name;
}
