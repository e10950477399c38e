/** The things that a page offers with a message: tools that it runs itself, and what it shows (docs/page-tools.md). */

/** A tool that the page runs: a call of it waits until the page answers. */
export interface PageTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments, unchecked. */
  readonly parameters: unknown;
}

/** The offer of one message, within the limits below. */
export interface PageOffer {
  readonly tools: readonly PageTool[];
  /** Tools that are not offered to the model, and why; absent if there are none. */
  readonly omitted?: readonly { readonly tool: string; readonly why: string }[];
  /** JSON of what the page shows, for the model as material of the message. Absent if it shows nothing. */
  readonly shows?: string;
}

/** Most tools of a page. */
export const MAX_PAGE_TOOLS = 64;
/** Most bytes of JSON of all tools of a page: they are stored with the message. */
export const MAX_PAGE_TOOLS_BYTES = 60_000;
/** Most characters of JSON of context and state. */
export const MAX_SHOWN = 20_000;

/** Unchecked fields of a request. */
interface Offered {
  /** A list, as AG-UI has it, or an object by names, as assistant-ui sends it to AI SDK endpoints. */
  readonly tools?: unknown;
  /** AG-UI's context: descriptions and values. */
  readonly context?: unknown;
  /** AG-UI's state of the page. */
  readonly state?: unknown;
}

/** The offer of a page; undefined if it offers nothing. None of it is trusted. */
export function offerOf({ tools: given, context, state }: Offered): PageOffer | undefined {
  const tools: PageTool[] = [];
  const omitted: { tool: string; why: string }[] = [];
  let bytes = 0;
  for (const tool of toolsIn(given)) {
    const size = new TextEncoder().encode(JSON.stringify(tool)).length;
    const why = whyNot(tool, tools, bytes + size);
    if (why !== undefined) {
      omitted.push({ tool: tool.name.slice(0, 100).toWellFormed(), why });
      continue;
    }
    tools.push(tool);
    bytes += size;
  }
  const shows = shownIn(context, state);
  if (tools.length === 0 && omitted.length === 0 && shows === undefined) return undefined;
  return {
    tools: tools.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    ...(omitted.length > 0 && { omitted: omitted.slice(0, MAX_PAGE_TOOLS) }),
    ...(shows !== undefined && { shows }),
  };
}

function whyNot({ name }: PageTool, before: readonly PageTool[], bytes: number): string | undefined {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
    return 'has a name that models cannot call: use up to 64 letters, digits, _ and -';
  if (before.some((one) => one.name === name)) return 'is listed twice';
  if (before.length >= MAX_PAGE_TOOLS)
    return `comes after ${MAX_PAGE_TOOLS} others, which is all that a page may have`;
  if (bytes > MAX_PAGE_TOOLS_BYTES)
    return `has no room: the tools of a page may have ${MAX_PAGE_TOOLS_BYTES} bytes of JSON`;
  return undefined;
}

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

function toolsIn(given: unknown): PageTool[] {
  const listed = Array.isArray(given)
    ? given.map(fieldsOf)
    : Object.entries(fieldsOf(given)).map(([name, one]): Fields => ({ ...fieldsOf(one), name }));
  return listed.map(({ name, description, parameters, inputSchema }) => ({
    name: typeof name === 'string' ? name : '',
    description: typeof description === 'string' ? description.toWellFormed() : '',
    parameters: parameters ?? inputSchema ?? { type: 'object', properties: {} },
  }));
}

/** Context and state as JSON; undefined if both are empty. */
function shownIn(context: unknown, state: unknown): string | undefined {
  const shown = {
    ...(isFilled(context) && { context }),
    ...(isFilled(state) && { state }),
  };
  if (Object.keys(shown).length === 0) return undefined;
  const text = JSON.stringify(shown).toWellFormed();
  return text.length <= MAX_SHOWN
    ? text
    : `${text.slice(0, MAX_SHOWN).toWellFormed()}… [cut: the whole has ${text.length} characters]`;
}

const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);

/** A page's answer to a call. */
export interface PageAnswer {
  readonly toolCallId: string;
  /** A JSON value or a text; or why the page could not carry the call out. */
  readonly answer: { readonly result: unknown } | { readonly error: string };
}
