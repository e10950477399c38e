/** An image that a tool shows to the model: a file of the workspace, or bytes and a name. PNG, JPEG, GIF or WebP. */
export type ShownImage =
  | { readonly path: string }
  | {
      readonly bytes: Uint8Array;
      /** What it is called, to the model and to people. */
      readonly name: string;
    };

/** What a tool returns that shows images. */
export interface Shown {
  readonly value: unknown;
  readonly images: readonly ShownImage[];
}

/** Marks values of ours, whichever copy of this module has made them: no JSON that a tool was given has it. */
const SHOWN = Symbol.for('steploop.shown');

/** Return what this gives: the model sees the image as the call's result (docs/attachments.md). */
export const image = (one: ShownImage): Shown => withImages(undefined, [one]);

/**
 * As a tool's result: a value, or text, and images with it. Of more than ten the rest is left out.
 *
 * @param value what the tool would return without them
 */
export function withImages(value: unknown, images: readonly ShownImage[]): Shown {
  const shown = { [SHOWN]: true, value, images };
  return shown;
}

export const isShown = (value: unknown): value is Shown =>
  typeof value === 'object' && value !== null && SHOWN in value;
