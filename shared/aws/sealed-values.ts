/** Values of attributes as sealed ones: a map with the one key `sealed`, which no value from outside can be, because JSON has no bytes. */

import { BrokenSeal, type SealedPlace } from './seal.ts';

export interface Sealed {
  readonly sealed: Uint8Array;
}

export const isSealed = (value: unknown): value is Sealed =>
  typeof value === 'object' && value !== null && 'sealed' in value && value.sealed instanceof Uint8Array;

/** The first byte of the content: what follows is bytes, or JSON. */
const BYTES = 0;
const JSON_TEXT = 1;

export function sealValue(place: SealedPlace, name: string, value: unknown): Sealed {
  const content =
    value instanceof Uint8Array
      ? Buffer.concat([Buffer.of(BYTES), value])
      : Buffer.concat([Buffer.of(JSON_TEXT), Buffer.from(JSON.stringify(value))]);
  return { sealed: place.seal(name, content) };
}

export function openValue(place: SealedPlace, name: string, { sealed }: Sealed): unknown {
  const content = place.open(name, sealed);
  const rest = content.subarray(1);
  switch (content[0]) {
    case BYTES:
      return rest;
    case JSON_TEXT:
      return JSON.parse(Buffer.from(rest).toString());
    default:
      throw new BrokenSeal(`the sealed value ${name} has an unknown form`);
  }
}
