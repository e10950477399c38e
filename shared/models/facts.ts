import type { ServerRules } from './server-rules.ts';

/** Something that some servers want and others do not. */
export interface ServerFact {
  /** The rules that apply when the fact holds. */
  readonly sets: Partial<ServerRules>;
  /** How requests are adapted, for docs/reference/dialects.md. */
  readonly what: string;
  /** Where the fact is documented. */
  readonly source: string;
  /** How servers word a 400 or 422 that means this; undefined if none says it. */
  readonly refusal?: RegExp;
}

/**
 * Servers' requirements, by name. A refusal that matches `refusal` switches the rule on for its server and model. The
 * names are stored in sessions, so none ever changes its meaning.
 */
export const facts = {
  max_completion_tokens: {
    sets: { outputLimit: 'max_completion_tokens' },
    what: 'the limit of output tokens is named `max_completion_tokens`',
    source: 'openai/openai-python#2046',
    refusal: /\bmax_tokens\b.{0,60}not supported.{0,60}\bmax_completion_tokens\b/i,
  },
  max_tokens: {
    sets: { outputLimit: 'max_tokens' },
    what: 'the limit of output tokens is named `max_tokens`',
    source: 'BerriAI/litellm#8855; voideditor/void#128',
    refusal:
      /(?:unrecognized|unknown|unsupported)[^\n]{0,80}\bmax_completion_tokens\b|\bmax_completion_tokens\b[^\n]{0,80}(?:unsupported|not permitted|unrecognized|unknown)/i,
  },
  no_stream_options: {
    sets: { streamOptions: false },
    what: 'no `stream_options` are sent',
    source: 'avante-corp/avante.nvim#2347; openai/openai-python#1469',
    refusal: /\bstream_options\b/i,
  },
  tools_128: {
    sets: { mostTools: 128 },
    what: 'a request has at most 128 tools; with more the call fails before it is made',
    source:
      'platform.openai.com/docs/api-reference/chat/create (`tools`); api-docs.deepseek.com/api/create-chat-completion (`tools`)',
  },
  description_1024: {
    sets: { descriptionChars: 1_024 },
    what: "a tool's description is cut to 1,024 characters",
    source: 'getsentry/sentry-mcp#106',
    refusal:
      /tools\[\d+\]\.function\.description\b[^\n]{0,40}string too long|string too long[^\n]{0,80}maximum length 1024/i,
  },
  array_items: {
    sets: { arrayItems: true },
    what: "an array in a tool's schema says what its items are; `items: {}` is added where it does not",
    source: 'sigoden/aichat#1049; NoeFabris/opencode-antigravity-auth#80',
    refusal: /array schema missing items|\.items: missing field/i,
  },
  plain_schemas: {
    sets: { plainSchemas: true },
    what: 'schemas of tools have no patterns, formats and lengths; calls are checked by them all the same',
    source: 'openclaw/openclaw#113562; codefuturist/email-mcp#58; AtomicBot-ai/Atomic-Chat#272',
    refusal: /JSON schema conversion failed|failed to parse grammar|Pattern must start with '\^'/i,
  },
  no_reasoning: {
    sets: { reasoning: 'left_out' },
    what: 'reasoning is not sent back',
    source: 'janhq/jan#8136; QwenLM/qwen-code#11045',
    refusal:
      /propert(?:y|ies) '?[\w.]*\breasoning(?:_content)?'? is unsupported|\breasoning_content: extra inputs are not permitted/i,
  },
  reasoning_needed: {
    sets: { reasoning: 'needed' },
    what: 'every assistant message has `reasoning_content`; a stand-in where another model wrote it',
    source:
      'api-docs.deepseek.com/guides/thinking_mode; platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model; earendil-works/pi#4178',
    refusal: /reasoning_content`? (?:is missing|in the thinking mode must be passed back)/i,
  },
  no_extra_fields: {
    sets: { extras: false, reasoning: 'left_out' },
    what: 'nothing is sent back beyond the fields of the API',
    source: 'charmbracelet/crush#1590; Kilo-Org/kilocode#10375',
    refusal:
      /extra inputs are not permitted|(?:unknown|unrecognized) (?:parameter|field|request argument)[^\n]{0,20}messages|propert(?:y|ies) '[^']{1,80}' is unsupported|additional properties are not allowed/i,
  },
  thought_signatures: {
    sets: { thoughtSignatures: true, extras: true },
    what: '`extra_content.google.thought_signature` goes back with its call; a call of another model has a stand-in',
    source: 'ai.google.dev/gemini-api/docs/thought-signatures',
    refusal: /missing a `?thought_?signature/i,
  },
  call_ids_nine: {
    sets: { callIds: 'nine' },
    what: 'ids of calls are nine letters and digits',
    source: 'langchain-ai/langchain#24668',
    refusal: /tool call id (?:was|has to be)\b.{0,200}\blength of 9\b/is,
  },
  call_ids_functions: {
    sets: { callIds: 'functions' },
    what: 'ids of calls are `functions.<name>:<n>`, counted over the conversation',
    source: 'huggingface.co/moonshotai/Kimi-K2-Instruct/blob/main/docs/tool_call_guidance.md',
  },
  assistant_after_tool: {
    sets: { assistantAfterTool: true },
    what: "a short assistant message stands between a tool's result and a user message",
    source: 'zed-industries/zed#31736; mistralai/mistral-vibe#578',
    refusal: /unexpected role '?user'? after role '?tool'?/i,
  },
  user_after_assistant: {
    sets: { userAfterAssistant: true },
    what: 'a short user message stands behind a reply that another model paused',
    source: '0xPlaygrounds/rig#1130; ai.google.dev/gemini-api/docs/function-calling',
    refusal: /expected last role user or tool|function call turn comes immediately after a user turn/i,
  },
  alternate_roles: {
    sets: { alternate: true, assistantAfterTool: true },
    what: 'messages of one role in a row are joined',
    source: 'charmbracelet/crush#279 (chat templates of Mistral)',
    refusal: /conversation roles must alternate/i,
  },
  no_encrypted_reasoning: {
    sets: { encryptedReasoning: false },
    what: 'encrypted reasoning is not asked for (Responses API)',
    source: 'OpenHands/software-agent-sdk#1208',
    refusal: /encrypted content is not supported with this model|\breasoning\.encrypted_content\b/i,
  },
  content_as_text: {
    sets: { noContent: '' },
    what: 'an assistant message without text has the content `""`',
    source: 'lmstudio-ai/lmstudio-bug-tracker#261',
    refusal:
      /\bcontent\b[^\n]{0,60}(?:should be a valid string|must be a string|none is not an allowed|cannot be null|expected a string[^\n]{0,20}null)/i,
  },
} as const satisfies Readonly<Record<string, ServerFact>>;

/** Name of a requirement. */
export type Rule = keyof typeof facts;

/** The rule that a server's refusal names; undefined if it names none. */
export function ruleIn(message: string): Rule | undefined {
  const head = message.slice(0, LOOKED_AT);
  return (Object.entries(facts) as [Rule, ServerFact][]).find(([, { refusal }]) => refusal?.test(head))?.[0];
}

/** Characters of a message that are searched: the rest may quote what people wrote. */
const LOOKED_AT = 2_000;
