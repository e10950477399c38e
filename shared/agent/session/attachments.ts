/**
 * What people or tools send beside text. History holds this reference; the bytes lie once per session, under their hash
 * (docs/attachments.md).
 */
export interface Attachment {
  /** SHA-256 of the bytes, in hex: they are the session's content of that name. */
  readonly hash: string;
  readonly bytes: number;
  /** What the bytes are, by themselves: nobody's word for it. */
  readonly mediaType: string;
  /** One segment without controls, at most 200 characters. From outside. */
  readonly name: string;
  /** A block that the model sees (`image`, `document`), or a file of the workspace. */
  readonly as: 'image' | 'document' | 'file';
  /** Of an image, in pixels. */
  readonly width?: number;
  readonly height?: number;
  /** Of a document, as far as they could be counted. */
  readonly pages?: number;
  /** Of a file: where it is in the workspace; of one that is unpacked, the folder, and empty for the root. */
  readonly path?: string;
  /** Of an archive: what is in it is in the workspace, and not itself. */
  readonly unpacked?: Unpacked;
}

/** The files of an archive, which are the session's content one by one. */
export interface Unpacked {
  /** Hash of the list: the session's content of that name is JSON, a `FileChange` each, sorted by path. */
  readonly list: string;
  readonly files: number;
  /** Of all of them together. */
  readonly bytes: number;
}
