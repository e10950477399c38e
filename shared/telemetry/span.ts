/** A span as it is exported, before it is OTLP. */

/** What OTLP can hold of an attribute, as far as we need it. Undefined ones are left out. */
export type Attribute = string | number | boolean | readonly string[] | undefined;
export type Attributes = Readonly<Record<string, Attribute>>;

export interface Span {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** Absent on the first of a trace. */
  readonly parentSpanId?: string;
  readonly name: string;
  /** `client`: what it stands for is done by a server elsewhere. */
  readonly kind: 'internal' | 'client';
  /** Epoch ms. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly events?: readonly SpanEvent[];
  /** Set where it has failed: what of it is said in words. */
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
  /** Epoch ms in which what was observed began and ended. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
}
