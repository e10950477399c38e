/** An image that a tool shows to the model: a file of the workspace, or bytes and a name. PNG, JPEG, GIF or WebP. */
export type ShownImage =
  | { readonly path: string }
  | {
      readonly bytes: Uint8Array;
      /** Its name, for the model and for people. */
      readonly name: string;
    };

/** The return value of a tool that shows images. */
export interface Shown {
  readonly value: unknown;
  readonly images: readonly ShownImage[];
}

/** Marks our own values, whichever copy of this module made them: no JSON that a tool was given has it. */
const SHOWN = Symbol.for('steploop.shown');

/** Return this from a tool: the model sees the image as the call's result (docs/attachments.md). */
export const image = (one: ShownImage): Shown => withImages(undefined, [one]);

/**
 * A tool's result with images: a value, or text, and the images. Images beyond ten are left out.
 *
 * @param value what the tool would return without them
 */
export function withImages(value: unknown, images: readonly ShownImage[]): Shown {
  const shown = { [SHOWN]: true, value, images };
  return shown;
}

export const isShown = (value: unknown): value is Shown =>
  typeof value === 'object' && value !== null && SHOWN in value;
