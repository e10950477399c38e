/** Parts of a request of Gemini's API (ai.google.dev/api/caching, "Content" and "Part"). */

export type WirePart =
  | { readonly text: string; readonly thought?: true; readonly thoughtSignature?: string }
  | InlineData
  | {
      readonly functionCall: { readonly id?: string; readonly name: string; readonly args: unknown };
      readonly thoughtSignature?: string;
    }
  | { readonly functionResponse: FunctionResponse };

export interface InlineData {
  readonly inlineData: { readonly mimeType: string; readonly data: string };
}

export interface FunctionResponse {
  readonly id?: string;
  readonly name: string;
  readonly response: { readonly output: string } | { readonly error: string };
  /** Images and documents of the result, since Gemini 3. */
  readonly parts?: readonly InlineData[];
}

export interface WireContent {
  readonly role: 'user' | 'model';
  readonly parts: readonly WirePart[];
}
