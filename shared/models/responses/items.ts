/** Items of the Responses API in a request (developers.openai.com/api/reference/resources/responses). */

/** A part of a user's message, or of a tool's result. */
export type InputPart =
  | { readonly type: 'input_text'; readonly text: string }
  | { readonly type: 'input_image'; readonly image_url: string; readonly detail: 'auto' }
  | { readonly type: 'input_file'; readonly filename: string; readonly file_data: string };

export type InputItem =
  | { readonly role: 'user'; readonly content: string | readonly InputPart[] }
  | { readonly role: 'assistant'; readonly content: string; readonly phase?: unknown }
  | {
      readonly type: 'message';
      readonly role: 'assistant';
      readonly id: string;
      readonly status: 'completed';
      readonly content: readonly [
        { readonly type: 'output_text'; readonly text: string; readonly annotations: readonly [] },
      ];
      readonly phase?: unknown;
    }
  | {
      readonly type: 'function_call';
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
      readonly id?: string;
    }
  | {
      readonly type: 'function_call_output';
      readonly call_id: string;
      readonly output: string | readonly InputPart[];
    }
  | ReasoningItem
  /** An item of a tool that the server runs, as it came. */
  | ServerItem;

export interface ReasoningItem {
  readonly type: 'reasoning';
  readonly id?: string;
  readonly summary: readonly { readonly type: 'summary_text'; readonly text: string }[];
  readonly encrypted_content?: string;
  readonly content?: readonly { readonly type: 'reasoning_text'; readonly text: string }[];
}

export type ServerItem = Readonly<Record<string, unknown>>;
