import type { JsonObject } from './json.ts';

/** A schema's say on an object. */
export interface Part {
  readonly properties: ReadonlyMap<string, JsonObject>;
  readonly required: ReadonlySet<string>;
  /** It takes no other properties. */
  readonly isClosed: boolean;
}

/** A choice at the root, of which the form says in words what it is. */
export interface Choice {
  readonly how: 'anyOf' | 'oneOf';
  readonly parts: readonly Part[];
}
