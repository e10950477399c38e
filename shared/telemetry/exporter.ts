/** Exports committed steps to an OpenTelemetry collector: OTLP over HTTP, in JSON. */

import type { StepReport, StepTrace } from '../agent/ports/meter.ts';
import { headersIn } from './headers.ts';
import { metricsBody, tracesBody } from './otlp.ts';
import type { Attributes } from './span.ts';
import { exportOf } from './spans.ts';

/** Longest time in ms that an invocation waits for a collector. */
export const EXPORT_MS = 1_000;

/** Time in ms for which a collector is not asked again after it failed to accept something. */
export const LEFT_ALONE_MS = 30_000;

export interface ExporterOptions {
  /** Base URL; `/v1/traces` and `/v1/metrics` are appended to it. */
  readonly endpoint: string;
  /**
   * Headers of each request, in the format of `OTEL_EXPORTER_OTLP_HEADERS`: `name=value,name=value` with values
   * percent-encoded.
   */
  readonly headers: () => Promise<string>;
  readonly content: boolean;
  /** The attributes of the process that exports. */
  readonly resource: Attributes;
  /** Epoch ms. */
  readonly now: () => number;
  /** Called for a signal that could not be exported, once until it can be again. Never gets its content. */
  readonly missed: (facts: Missed) => void;
}

export interface Missed {
  readonly signal: Signal;
  /** The status of a refusal. */
  readonly status?: number;
  /** The error of a request that got no answer. */
  readonly errorCode?: string;
}

type Signal = 'traces' | 'metrics';

/** Exports a step. Never rejects, and finishes within {@link EXPORT_MS}. */
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

/** Each signal is sent separately: many servers accept only traces. */
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
            // Headers with credentials are for this address alone.
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

/** The kind of error. Its message may contain the address, and the address a key. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code: unknown = error.cause instanceof Error ? Reflect.get(error.cause, 'code') : undefined;
  return typeof code === 'string' ? code : error.name;
}
