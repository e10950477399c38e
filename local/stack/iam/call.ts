/** A call to an embedded service, and how to read it. */

import { isObject, type Json, type JsonObject } from '../template/types.ts';

/** A call over HTTP. */
export interface Call {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** `x-amz-target`. */
  readonly target: string;
  readonly body: Buffer;
}

/** The operation that a target names. */
export const operationOf = (target: string): string => target.slice(target.lastIndexOf('.') + 1);

/** The input of a call; empty if it cannot be read: then its service reports the error. */
export function jsonOf(body: Buffer): JsonObject {
  try {
    return objectOf(JSON.parse(body.toString() || '{}') as Json);
  } catch {
    return {};
  }
}

/** The object; empty for anything else. */
export const objectOf = (value: Json | undefined): JsonObject =>
  isObject(value ?? null) ? (value as JsonObject) : {};

/** The bucket and the key of a path-style request, `/bucket/key`, which the SDK sends to a custom endpoint. */
export function objectAt({ url }: Call): { bucket: string; key: string; query: URLSearchParams } {
  const { pathname, searchParams } = new URL(url, 'http://s3');
  const [bucket = '', ...rest] = pathname.slice(1).split('/');
  return { bucket, key: decoded(rest.join('/')), query: searchParams };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
