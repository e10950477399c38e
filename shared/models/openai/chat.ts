/** A message of the Chat Completions API. */
export type ChatMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly UserPart[] }
  | {
      readonly role: 'assistant';
      readonly content: string | null | readonly object[];
      readonly tool_calls?: readonly ChatCall[];
      /** Fields of its own server. */
      readonly [field: string]: unknown;
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

/** The parts of a user's message that is not only text. */
export type UserPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  | { readonly type: 'file'; readonly file: { readonly filename: string; readonly file_data: string } };

/** A call of an assistant message. Fields of its own server may stand beside these. */
export interface ChatCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}
