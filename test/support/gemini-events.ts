/** Chunks of a stream of Gemini's API in wire format, for the scripted model server. */

type Fields = Readonly<Record<string, unknown>>;

/** Signatures are bytes as base64. */
export const signature = (words: string): string => Buffer.from(words).toString('base64');

export const USAGE = { promptTokenCount: 20, candidatesTokenCount: 5, totalTokenCount: 25 };

/** An event. Google ends its lines with a carriage return. */
export const wire = (chunk: unknown): string => `data: ${JSON.stringify(chunk)}\r\n\r\n`;

/** A chunk with these parts. */
export const chunk = (parts: readonly Fields[], candidate: Fields = {}, more: Fields = {}): string =>
  wire({
    candidates: [{ content: { parts, role: 'model' }, index: 0, ...candidate }],
    usageMetadata: USAGE,
    modelVersion: 'gemini-test-3',
    responseId: 'r1',
    ...more,
  });

const signed = (words: string | undefined) =>
  words === undefined ? {} : { thoughtSignature: signature(words) };

export const text = (words: string, sign?: string): Fields => ({ text: words, ...signed(sign) });
export const thought = (words: string, sign?: string): Fields => ({ ...text(words, sign), thought: true });
export const call = (name: string, args: unknown, sign?: string, id?: string): Fields => ({
  functionCall: { ...(id !== undefined && { id }), name, args },
  ...signed(sign),
});

/** The last chunk, which mostly has an empty text. */
export const ends = (finishReason: string, more: Fields = {}): string =>
  chunk([{ text: '' }], { finishReason, ...more });

/** A whole reply, each part in a chunk of its own. */
export const generated = (parts: readonly Fields[], finishReason = 'STOP', more: Fields = {}): string[] => [
  ...parts.map((part) => chunk([part])),
  ends(finishReason, more),
];

/** A prompt that is blocked: no candidates. */
export const blocked = (blockReason: string): string =>
  wire({
    promptFeedback: { blockReason },
    usageMetadata: { promptTokenCount: 9 },
    modelVersion: 'gemini-test-3',
  });

/** An error, as the body of an answer or in the middle of a stream. */
export const error = (
  code: number,
  status: string,
  message = 'no',
  details: readonly Fields[] = [],
): Fields => ({
  error: { code, message, status, ...(details.length > 0 && { details }) },
});

/** A detail of an error. */
export const detail = (type: string, fields: Fields): Fields => ({
  '@type': `type.googleapis.com/google.rpc.${type}`,
  ...fields,
});
