/** What a rule of a strict server is, and how the servers word a refusal. Nothing here knows the product's own code. */

/** Servers whose rules are known: those that speak Messages, and those that speak Chat Completions. */
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

export type MessagesDialect = (typeof messagesDialects)[number];
export type ChatDialect = (typeof chatDialects)[number];
export type Dialect = MessagesDialect | ChatDialect;

export const isMessagesDialect = (dialect: Dialect): dialect is MessagesDialect =>
  (messagesDialects as readonly string[]).includes(dialect);

/** A request as a server sees it, and what the server remembers of its own replies. */
export interface Asked<Given> {
  /** The parsed body. */
  readonly body: Fields;
  /** The body as it was sent. */
  readonly raw: string;
  readonly dialect: Dialect;
  /** Absent when nothing is known of earlier replies: then the rules that need them say nothing. */
  readonly given?: Given;
}

/** What a rule objects to. A string is the message of a 400. */
export type Fault =
  | string
  | {
      readonly message: string;
      /** HTTP status; 400 when absent. */
      readonly status?: number;
      readonly type?: string;
      readonly code?: string | null;
      /** Where it is, as OpenAI names places: `tools[0].function.name`. */
      readonly param?: string | null;
    };

export interface Rule<Given> {
  /** A sentence that says what the server wants. */
  readonly name: string;
  /** Where it is documented or was reported. */
  readonly source: string;
  /** The servers that have it; all of the API when absent. */
  readonly only?: readonly Dialect[];
  /** Returns what the server says, or undefined when the request keeps the rule. */
  readonly check: (asked: Asked<Given>) => Fault | undefined;
}

/** A refusal as it goes over the wire. */
export interface Refusal {
  readonly status: number;
  readonly body: unknown;
  /** The rule that was broken, for people who read a failed test. */
  readonly rule: string;
  readonly message: string;
}

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects of a list; none when it is no list. */
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

/** The first key of an object that is not among these. */
export const unknownKey = (value: Fields, known: ReadonlySet<string>): string | undefined =>
  Object.keys(value).find((key) => !known.has(key));
