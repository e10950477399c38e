/** Parts of a request of the Converse API (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html). */

export type Content =
  | { readonly text: string }
  | { readonly image: { readonly format: string; readonly source: { readonly bytes: string } } }
  | {
      readonly document: {
        readonly format: 'pdf';
        readonly name: string;
        readonly source: { readonly bytes: string };
      };
    };

export type WireBlock =
  | Content
  | { readonly toolUse: { readonly toolUseId: string; readonly name: string; readonly input: unknown } }
  | {
      readonly toolResult: {
        readonly toolUseId: string;
        readonly content: readonly Content[];
        readonly status?: 'error';
      };
    }
  | { readonly reasoningContent: Reasoning }
  | CachePoint;

export type Reasoning =
  | { readonly reasoningText: { readonly text: string; readonly signature: string } }
  | { readonly redactedContent: string };

export interface CachePoint {
  readonly cachePoint: { readonly type: 'default'; readonly ttl?: '1h' };
}

export interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly WireBlock[];
}
