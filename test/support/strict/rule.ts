/** The rules of strict servers, and how the servers word a refusal. Nothing here knows the product's own code. */

/** Servers whose rules are known: Messages servers, Chat Completions servers, OpenAI's Responses API, Bedrock's Converse API, and Gemini's API. */
export const messagesDialects = ['anthropic', 'bedrock'] as const;
export const chatDialects = [
  'openai',
  'azure',
  'gemini',
  'mistral',
  'kimi',
  'deepseek',
  'openrouter',
  'vllm',
  'ollama',
] as const;

export const responsesDialects = ['responses'] as const;

export const converseDialects = ['converse'] as const;

export const generateDialects = ['generate'] as const;

export type MessagesDialect = (typeof messagesDialects)[number];
export type ChatDialect = (typeof chatDialects)[number];
export type ResponsesDialect = (typeof responsesDialects)[number];
export type ConverseDialect = (typeof converseDialects)[number];
export type GenerateDialect = (typeof generateDialects)[number];
export type Dialect = MessagesDialect | ChatDialect | ResponsesDialect | ConverseDialect | GenerateDialect;

/** The API that a server speaks. */
export type Api = 'messages' | 'chat' | 'responses' | 'converse' | 'generate';

export function apiOf(dialect: Dialect): Api {
  if (isMessagesDialect(dialect)) return 'messages';
  return dialect === 'responses' || dialect === 'converse' || dialect === 'generate' ? dialect : 'chat';
}

export const isMessagesDialect = (dialect: Dialect): dialect is MessagesDialect =>
  (messagesDialects as readonly string[]).includes(dialect);

/** A request as a server sees it, with the server's memory of its own replies. */
export interface Asked<Given> {
  /** The parsed body. */
  readonly body: Fields;
  /** The body as it was sent. */
  readonly raw: string;
  readonly dialect: Dialect;
  /** Absent if earlier replies are unknown: then the rules that need them say nothing. */
  readonly given?: Given;
}

/** The objection of a rule. A string is the message of a 400. */
export type Fault =
  | string
  | {
      readonly message: string;
      /** HTTP status; 400 by default. */
      readonly status?: number;
      readonly type?: string;
      readonly code?: string | null;
      /** The place in OpenAI's notation: `tools[0].function.name`. */
      readonly param?: string | null;
    };

export interface Rule<Given> {
  /** A sentence that says what the server requires. */
  readonly name: string;
  /** The place where it is documented or was reported. */
  readonly source: string;
  /** The servers that have it; by default all of the API. */
  readonly only?: readonly Dialect[];
  /** Returns the server's message, or undefined if the request keeps the rule. */
  readonly check: (asked: Asked<Given>) => Fault | undefined;
}

/** A refusal in wire form. */
export interface Refusal {
  readonly status: number;
  readonly body: unknown;
  /** The broken rule, for people who read a failed test. */
  readonly rule: string;
  readonly message: string;
}

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects of a list; none if it is not a list. */
export const fieldsIn = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter(isFields) : [];

/** The first fault that a search finds. */
export function firstOf<T, R>(
  items: readonly T[],
  find: (item: T, at: number) => R | undefined,
): R | undefined {
  for (const [at, item] of items.entries()) {
    const found = find(item, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first unknown key of an object. */
export const unknownKey = (value: Fields, known: ReadonlySet<string>): string | undefined =>
  Object.keys(value).find((key) => !known.has(key));
