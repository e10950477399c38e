/** The content of one message from a person, and the upload of its attachments: docs/attachments.md. */
import * as z from 'zod';

/** Longest user message in characters. Longer ones are refused with 400. */
export const MAX_TEXT = 100_000;
/** Parts of one message. */
export const MAX_PARTS = 20;
/** Bytes of one upload: the limits for images and documents are lower. A function holds it in its memory. */
export const MAX_UPLOAD_BYTES = 20_000_000;

const text = z.string().trim().min(1, 'must not be empty').max(MAX_TEXT);
/** The `id` of an upload. */
const upload = z.string().min(1).max(64);

const Part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text }),
  /** A PNG, JPEG, GIF or WebP that the model sees. */
  z.strictObject({ type: z.literal('image'), upload }),
  /** A PDF, or text in UTF-8, that the model reads. */
  z.strictObject({ type: z.literal('document'), upload }),
  z.strictObject({
    type: z.literal('file'),
    upload,
    /** Its place in the workspace: a path, or a folder with `/` at its end. When absent, its name at the root. */
    path: z.string().min(1).max(512).optional(),
    /** It is a zip archive: its content goes below `path`, and not the archive itself. */
    unpack: z.boolean().optional(),
  }),
]);
export type UploadedPart = Exclude<z.infer<typeof Part>, { type: 'text' }>;

/** A message: text, or parts. The texts among the parts are one message, with an empty line between two. */
export const MessageContent = z.union([
  text,
  z
    .array(Part)
    .min(1)
    .max(MAX_PARTS)
    .refine(
      (parts) => textOfParts(parts).length <= MAX_TEXT,
      `at most ${MAX_TEXT} characters of text together`,
    ),
]);
export type MessageContent = z.infer<typeof MessageContent>;

const textOfParts = (parts: readonly z.infer<typeof Part>[]): string =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');

/** The text of a message. */
export const textOfMessage = (content: MessageContent): string =>
  typeof content === 'string' ? content : textOfParts(content);

/** The attachments of a message, in order. */
export const uploadsOf = (content: MessageContent): readonly UploadedPart[] =>
  typeof content === 'string' ? [] : content.flatMap((part) => (part.type === 'text' ? [] : [part]));

/** `POST /uploads` */
export const UploadBody = z.strictObject({
  /** Its name for people. Folders before it are dropped, and so are invisible characters. */
  name: z.string().min(1).max(1_000),
  /** The type that the PUT will declare. The actual type is detected in the bytes. */
  mediaType: z
    .string()
    .regex(/^[\w.+-]{1,100}\/[\w.+-]{1,100}(; ?charset=[\w-]{1,30})?$/, 'must be a media type, as image/png'),
  /** The exact number of bytes that will be sent. */
  bytes: z.int().min(1).max(MAX_UPLOAD_BYTES),
});
export type UploadBody = z.infer<typeof UploadBody>;

/** Where to PUT the bytes of an upload, with these headers, and until when. */
export interface UploadInfo {
  readonly id: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** An attachment, as people see it: `GET /sessions/{sessionId}/attachments/{hash}` leads to its bytes. */
export interface AttachmentInfo {
  /** SHA-256 of its bytes, in hex. */
  readonly hash: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** `image` and `document` are seen by the model, `file` is in the workspace. */
  readonly as: 'image' | 'document' | 'file';
  /** In pixels. */
  readonly width?: number;
  readonly height?: number;
  /** For a file: its path in the workspace; the folder of an unpacked archive. */
  readonly path?: string;
  /** How many files were unpacked from it. */
  readonly files?: number;
}

/** A link to the bytes of an attachment. */
export interface AttachmentLink extends Pick<AttachmentInfo, 'name' | 'mediaType'> {
  readonly url: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}
