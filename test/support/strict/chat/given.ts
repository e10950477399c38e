import { type Fields, fieldsIn, isFields } from '../rule.ts';

/** A Chat Completions server's memory of its own replies. */
export interface GivenCalls {
  /** Records a reply: its assistant message, assembled from the stream. */
  took(message: Fields): void;
  /** The call that it gave under this id. */
  call(id: unknown): Fields | undefined;
  /** The message in which it gave this call. */
  message(id: unknown): Fields | undefined;
  /** Whether it gives thought signatures with its calls, and thoughts with its messages. */
  readonly signs: boolean;
  readonly thinks: boolean;
}

export function givenCalls(): GivenCalls {
  const calls = new Map<unknown, { readonly call: Fields; readonly message: Fields }>();
  let signs = false;
  let thinks = false;
  return {
    took(message) {
      thinks ||= Boolean(message.reasoning_content);
      for (const call of fieldsIn(message.tool_calls)) {
        signs ||= signatureOf(call) !== undefined;
        calls.set(call.id, { call, message });
      }
    },
    call: (id) => calls.get(id)?.call,
    message: (id) => calls.get(id)?.message,
    get signs() {
      return signs;
    },
    get thinks() {
      return thinks;
    },
  };
}

/** Where Gemini's OpenAI-compatible API keeps the signature of a call. */
export function signatureOf({ extra_content: extra }: Fields): string | undefined {
  const google = isFields(extra) ? extra.google : undefined;
  const signature = isFields(google) ? google.thought_signature : undefined;
  return typeof signature === 'string' && signature !== '' ? signature : undefined;
}
