import type { JsonObject } from './json.ts';

/** The demands of a schema on an object. */
export interface Part {
  readonly properties: ReadonlyMap<string, JsonObject>;
  readonly required: ReadonlySet<string>;
  /** Whether it accepts no other properties. */
  readonly isClosed: boolean;
}

/** A choice at the root, which the form describes in words. */
export interface Choice {
  readonly how: 'anyOf' | 'oneOf';
  readonly parts: readonly Part[];
}
