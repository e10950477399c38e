/**
 * Content that people or tools send beside text. History has this reference; the bytes are stored once per session, under their
 * hash (docs/attachments.md).
 */
export interface Attachment {
  /** SHA-256 of the bytes, in hex: the name of the session's content that they are. */
  readonly hash: string;
  readonly bytes: number;
  /** The type of the bytes, found by inspecting them, not as the sender claims it. */
  readonly mediaType: string;
  /** One segment without controls, at most 200 characters. From outside. */
  readonly name: string;
  /** A block that the model sees (`image`, `document`), or a file of the workspace. */
  readonly as: 'image' | 'document' | 'file';
  /** Width of an image, in pixels. */
  readonly width?: number;
  readonly height?: number;
  /** Pages of a document, if they could be counted. */
  readonly pages?: number;
  /** Path of a file in the workspace; for an unpacked archive, its folder, which is empty for the root. */
  readonly path?: string;
  /** Set for an archive whose files are in the workspace in place of the archive itself. */
  readonly unpacked?: Unpacked;
}

/** The files of an archive, each of which is content of the session. */
export interface Unpacked {
  /** Hash of the list. The content with that name is JSON, with a `FileChange` for each file, sorted by path. */
  readonly list: string;
  readonly files: number;
  /** The total of all files. */
  readonly bytes: number;
}
