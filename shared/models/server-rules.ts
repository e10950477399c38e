/** What one server wants of a request, as data. The defaults are those of a server of which nothing is known. */
export interface ServerRules {
  /** Name of the field that limits the output tokens. */
  readonly outputLimit: 'max_tokens' | 'max_completion_tokens';
  /** Whether it takes `stream_options`, with which the usage of a stream is asked for. */
  readonly streamOptions: boolean;
  /** Tools of one request; undefined where no limit is known. */
  readonly mostTools: number | undefined;
  /** Characters of a tool's description; undefined where no limit is known. */
  readonly descriptionChars: number | undefined;
  /** Whether every array in a tool's schema must say what its items are. */
  readonly arrayItems: boolean;
  /**
   * Form of a call's id. `any`: as it is kept. `nine`: nine letters and digits. `functions`: `functions.<name>:<n>`, where n
   * counts the calls of the conversation from 0.
   */
  readonly callIds: 'any' | 'nine' | 'functions';
  /** Whether an assistant message must stand between a tool's result and the user's next message. */
  readonly assistantAfterTool: boolean;
  /** Whether a user message must stand behind an assistant message without calls, also behind the last one. */
  readonly userAfterAssistant: boolean;
  /** Whether two messages in a row may not have the same role, results aside: then they are joined. */
  readonly alternate: boolean;
  /**
   * What becomes of the model's own reasoning. `left_out`: never sent back. `given`: sent back in the field in which it came,
   * with messages that have calls. `needed`: every assistant message has it, as `reasoning_content`, or a stand-in.
   */
  readonly reasoning: 'left_out' | 'given' | 'needed';
  /** Whether unknown fields that the server gave with a call or a message go back to it. */
  readonly extras: boolean;
  /** Whether a call that has no thought signature needs a stand-in for one. */
  readonly thoughtSignatures: boolean;
  /** Content of an assistant message that has calls and no text. */
  readonly noContent: null | '';
}

/** A server of Chat Completions of which nothing is known. */
export const unknownServer: ServerRules = {
  outputLimit: 'max_tokens',
  streamOptions: true,
  mostTools: undefined,
  descriptionChars: undefined,
  arrayItems: false,
  callIds: 'any',
  assistantAfterTool: false,
  userAfterAssistant: false,
  alternate: false,
  reasoning: 'given',
  extras: true,
  thoughtSignatures: false,
  noContent: null,
};
