/** One server's requirements for a request, as data. The defaults are those of an unknown server. */
export interface ServerRules {
  /** Name of the field that limits output tokens. */
  readonly outputLimit: 'max_tokens' | 'max_completion_tokens';
  /** Whether the server takes `stream_options`, which asks for the usage of a stream. */
  readonly streamOptions: boolean;
  /** Most tools in one request; undefined if no limit is known. */
  readonly mostTools: number | undefined;
  /** Most characters of a tool's description; undefined if no limit is known. */
  readonly descriptionChars: number | undefined;
  /** Whether every array in a tool's schema must say what its items are. */
  readonly arrayItems: boolean;
  /** Whether the schemas of tools are sent without patterns, formats and lengths. */
  readonly plainSchemas: boolean;
  /**
   * Form of a call's id. `any`: as stored. `nine`: nine letters and digits. `functions`: `functions.<name>:<n>`, where
   * n counts the calls of the conversation from 0.
   */
  readonly callIds: 'any' | 'nine' | 'functions';
  /** Whether an assistant message must stand between a tool's result and the user's next message. */
  readonly assistantAfterTool: boolean;
  /** Whether a user message must follow every assistant message without calls, including the last one. */
  readonly userAfterAssistant: boolean;
  /** Whether two messages in a row, apart from results, may not have the same role: then they are joined. */
  readonly alternate: boolean;
  /**
   * How the model's own reasoning is handled. `left_out`: never sent back. `given`: sent back in the field in which it
   * came, with messages that have calls. `needed`: every assistant message has it, as `reasoning_content`, or a
   * stand-in.
   */
  readonly reasoning: 'left_out' | 'given' | 'needed';
  /** Whether unknown fields that the server sent with a call or a message go back to it. */
  readonly extras: boolean;
  /** Whether a call without a thought signature needs a stand-in for one. */
  readonly thoughtSignatures: boolean;
  /** Content of an assistant message that has calls and no text. */
  readonly noContent: null | '';
  /** Whether the Responses API is asked for reasoning in encrypted form, to be sent back. */
  readonly encryptedReasoning: boolean;
}

/** An unknown server of Chat Completions. */
export const unknownServer: ServerRules = {
  outputLimit: 'max_tokens',
  streamOptions: true,
  mostTools: undefined,
  descriptionChars: undefined,
  arrayItems: false,
  plainSchemas: false,
  callIds: 'any',
  assistantAfterTool: false,
  userAfterAssistant: false,
  alternate: false,
  reasoning: 'given',
  extras: true,
  thoughtSignatures: false,
  noContent: null,
  encryptedReasoning: true,
};
