/** A span as it is exported, before it is OTLP. */

/** The attribute values of OTLP that we need. Undefined ones are left out. */
export type Attribute = string | number | boolean | readonly string[] | undefined;
export type Attributes = Readonly<Record<string, Attribute>>;

export interface Span {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** Absent on the first span of a trace. */
  readonly parentSpanId?: string;
  readonly name: string;
  /** `client`: the work is done by a server elsewhere. */
  readonly kind: 'internal' | 'client';
  /** Epoch ms. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly events?: readonly SpanEvent[];
  /** Set if it has failed: a description of the failure. */
  readonly error?: string;
}

export interface SpanEvent {
  readonly name: string;
  /** Epoch ms. */
  readonly atMs: number;
  readonly attributes: Attributes;
}

/** One observation of a histogram. */
export interface Observation {
  readonly metric: 'gen_ai.client.token.usage' | 'gen_ai.client.operation.duration';
  readonly value: number;
  /** Epoch ms of the beginning and the end of what was observed. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
}
