/** A request as the rule-based model sees it: its role, its tools, its task, and its actions since. */

export interface Conversation {
  readonly system: string;
  readonly tools: readonly ToolInfo[];
  /** All messages, oldest first. */
  readonly turns: readonly Turn[];
}

export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  /** JSON schema of its input. */
  readonly parameters: object;
}

export type Turn =
  | { readonly kind: 'user'; readonly text: string }
  | { readonly kind: 'assistant'; readonly text: string }
  | { readonly kind: 'call'; readonly call: Call };

/** A tool call of the model, with its result once there is one. */
export interface Call {
  readonly name: string;
  readonly input: unknown;
  readonly result?: string;
}

/** The model's next reply: text, and the calls that it makes. A reply without calls ends the run. */
export interface Answer {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: object }[];
}

/** A request, as aimock translates all providers' requests. */
export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly {
    function: { name: string; description?: string; parameters?: object };
  }[];
}

interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | readonly { type: string; text?: string }[] | null;
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
  readonly tool_call_id?: string;
}

export function toConversation({ messages, tools = [] }: ChatRequest): Conversation {
  const results = new Map(
    messages.filter(({ role }) => role === 'tool').map((message) => [message.tool_call_id, textOf(message)]),
  );
  const turns = messages.flatMap((message): Turn[] => {
    if (message.role === 'user')
      return textsOf(message)
        .flatMap(piecesOf)
        .map((said) => ({ kind: 'user', text: asSaid(said) }));
    if (message.role !== 'assistant') return [];
    const text = textOf(message);
    return [
      { kind: 'assistant', text },
      ...(message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }): Turn => {
        const result = results.get(id);
        return { kind: 'call', call: { name, input: parse(args), ...(result !== undefined && { result }) } };
      }),
    ];
  });
  return {
    system: messages
      .filter(({ role }) => role === 'system')
      .map(textOf)
      .join('\n'),
    tools: tools.map(({ function: { name, description = '', parameters = {} } }) => ({
      name,
      description,
      parameters,
    })),
    turns,
  };
}

/** The last user turn that `is` the task, with the calls made since. The loop's own notices are not a task. */
export function taskOf(
  { turns }: Conversation,
  is: (text: string) => boolean = isSaid,
): { text: string; calls: Call[] } | undefined {
  const at = turns.findLastIndex((turn) => turn.kind === 'user' && is(turn.text));
  const turn = turns[at];
  if (turn?.kind !== 'user') return undefined;
  return {
    text: turn.text,
    calls: turns.slice(at + 1).flatMap((later) => (later.kind === 'call' ? [later.call] : [])),
  };
}

/** Attachments of the last message, as its lines name them: `image "plan.png", 30×20`, and the parts that are not shown. */
export function sentIn({ turns }: Conversation): string[] {
  const since = turns.slice(turns.findLastIndex(({ kind }) => kind === 'assistant') + 1);
  return since.flatMap((turn) =>
    turn.kind === 'user' ? (SENT.exec(turn.text)?.[1] ?? UNSEEN.exec(turn.text)?.[1] ?? []) : [],
  );
}

const SENT = /^\[((?:image|document|file) "[^"\n]*"(?:[^\]"\n]|"[^"\n]*")*)\]\s*/;
/** The notice about restored files before the user's next message. */
const RESTORED = /^\[steploop\] The files of the workspace were set back [^\n]*? before you go on\.\s*/;
/** The prefix with the time and the sender of a message. */
const TOLD = /^\[said [^\]\n]*\]\s*/;
const UNSEEN = /^\[steploop\] The ((?:image|document) "[^"\n]*" is not shown to you: [^.\n]*)\.\s*/;

/**
 * Splits notices about attachments and restored files from the user's text. They arrive as one text, because blocks of one
 * message are joined on the way.
 */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  for (;;) {
    const line =
      (TOLD.exec(rest) ?? SENT.exec(rest) ?? UNSEEN.exec(rest) ?? RESTORED.exec(rest))?.[0] ?? pageIn(rest);
    if (line === undefined) return rest === '' ? pieces : [...pieces, rest];
    pieces.push(line.trimEnd());
    rest = rest.slice(line.length);
  }
}

const PAGE = /^\[steploop\] What the user's page shows [^\n]*:\n/;

/** The material of a page: a line, and JSON up to its last brace. */
function pageIn(text: string): string | undefined {
  const start = PAGE.exec(text)?.[0];
  if (start === undefined) return undefined;
  let depth = 0;
  for (const { 0: one, index } of text.slice(start.length).matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    depth += one === '{' ? 1 : one === '}' ? -1 : 0;
    if (depth === 0) return text.slice(0, start.length + index + 1);
  }
  return text;
}

/** Whether a text is the line that names attachments, and not a person's text. */
export const isSent = (text: string): boolean => SENT.test(text);

/** Whether a person wrote the text: the loop's own notices are marked. */
export const isSaid = (text: string): boolean => !/^\[(?:(?:steploop|loop-guard)\]|said )/.test(text);

/** The JSON value; undefined if `text` is not JSON, because then the tool described an error in words. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const textOf = (message: ChatMessage): string => textsOf(message).join('');

function textsOf({ content }: ChatMessage): string[] {
  if (typeof content === 'string') return [content];
  return (content ?? []).map(({ text = '' }) => text);
}

/** The original text of a person's message that a context quotes word for word at its head. */
const asSaid = (text: string): string => QUOTED.exec(text)?.[1] ?? text;

const QUOTED =
  /^\[steploop\] (?:OPEN|Answered and done|Ended before|(?:The first|A later) message)\b[^\n]*:\n(.*)$/s;
