/** Chunks of a Chat Completions stream in wire format, for the scripted model server. */

type Fields = Readonly<Record<string, unknown>>;

/** A chunk in wire format. */
export const wire = (chunk: unknown): string => `data: ${JSON.stringify(chunk)}\n\n`;

/** A chunk with this delta. */
export const delta = (fields: Fields, more: Fields = {}): string =>
  wire({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    model: 'gpt-test-1',
    choices: [{ index: 0, delta: fields, ...more }],
  });

export const says = (...pieces: string[]): string[] => pieces.map((content) => delta({ content }));

/** A native call, with its arguments in pieces. */
export const calls = (index: number, id: string | undefined, name: string, ...pieces: string[]): string[] => [
  delta({ tool_calls: [{ index, ...(id && { id }), type: 'function', function: { name, arguments: '' } }] }),
  ...pieces.map((json) => delta({ tool_calls: [{ index, function: { arguments: json } }] })),
];

export const finish = (reason: string): string => delta({}, { finish_reason: reason });

export const usageChunk = (usage: Fields): string =>
  wire({ object: 'chat.completion.chunk', model: 'gpt-test-1', choices: [], usage });

export const done = 'data: [DONE]\n\n';

/** A whole message: its pieces, its finish reason and its usage. */
export const completion = (
  pieces: readonly string[],
  reason = 'stop',
  usage: Fields = { prompt_tokens: 10, completion_tokens: 5 },
): string[] => [...pieces, finish(reason), usageChunk(usage), done];
