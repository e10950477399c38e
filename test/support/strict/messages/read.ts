import { type Fields, fieldsIn } from '../rule.ts';

/** A message of the Messages API, with its content always as blocks. */
export interface WireMessage {
  readonly role: unknown;
  readonly content: readonly Fields[];
  readonly fields: Fields;
}

const readMessages = new WeakMap<object, readonly WireMessage[]>();

/** The messages of a body. Every rule gets the same objects for the same body. */
export function messagesOf(body: Fields): readonly WireMessage[] {
  const known = readMessages.get(body);
  if (known) return known;
  const read = fieldsIn(body.messages).map((fields) => ({
    role: fields.role,
    content:
      typeof fields.content === 'string'
        ? [{ type: 'text', text: fields.content }]
        : fieldsIn(fields.content),
    fields,
  }));
  readMessages.set(body, read);
  return read;
}

export const isOf = (type: string) => (block: Fields) => block.type === type;
export const isCall = isOf('tool_use');
export const isResult = isOf('tool_result');

/** A block of a request, and its place. */
export interface Place {
  readonly message: number;
  readonly at: number;
  readonly block: Fields;
}

/** The first value that `find` returns for any block. */
export function inBlocks<R>(body: Fields, find: (place: Place) => R | undefined): R | undefined {
  for (const [message, { content }] of messagesOf(body).entries()) {
    for (const [at, block] of content.entries()) {
      const found = find({ message, at, block });
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
