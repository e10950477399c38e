import * as z from 'zod';
import { asOf, type Counted, callIn, linked, nothingLeftOut, oneOf, shaped } from './checks.ts';
import {
  type Call,
  HistoryFault,
  type Media,
  type Part,
  type Read,
  type Result,
  type Turn,
} from './turns.ts';

const source = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('base64'), media_type: z.string(), data: z.string().min(1) }),
    z.looseObject({ type: z.literal('text'), data: z.string() }),
    z.looseObject({ type: z.literal('url'), url: z.string().min(1) }),
    z.looseObject({ type: z.literal('file'), file_id: z.string().min(1) }),
  ],
  { error: oneOf('base64, text, url or file') },
);
const text = z.looseObject({ type: z.literal('text'), text: z.string() });
const image = z.looseObject({ type: z.literal('image'), source });
const document = z.looseObject({ type: z.literal('document'), source, title: z.string().nullish() });
const UserBlock = z.discriminatedUnion(
  'type',
  [
    text,
    image,
    document,
    z.looseObject({
      type: z.literal('tool_result'),
      tool_use_id: z.string().min(1).max(512),
      content: z
        .union([z.string(), z.array(z.discriminatedUnion('type', [text, image, document]))])
        .optional(),
      is_error: z.boolean().nullish(),
    }),
  ],
  { error: oneOf('text, image, document or tool_result') },
);
type Sent = z.infer<typeof text> | z.infer<typeof image> | z.infer<typeof document>;

const thinking = ['thinking', 'redacted_thinking'];
/** Tools that Anthropic's servers have run, and their results: the texts of the reply report them. */
const ofServers = /^(server_tool_use|mcp_tool_use|[a-z_]+_tool_result|container_upload|compaction)$/;
const SpokenBlock = z.looseObject({ type: z.string() });
const ToolUse = z.looseObject({
  id: z.string().min(1).max(512),
  name: z.string(),
  input: z.unknown().optional(),
});

const Message = z.discriminatedUnion(
  'role',
  [
    z.looseObject({ role: z.literal('system') }),
    z.looseObject({ role: z.literal('user'), content: z.union([z.string(), z.array(UserBlock)]) }),
    z.looseObject({
      role: z.literal('assistant'),
      content: z.union([z.string(), z.array(SpokenBlock)]),
      model: z.string().min(1).max(200).optional(),
    }),
  ],
  { error: oneOf('user or assistant') },
);

/** Reads messages of Anthropic's Messages API. Throws {@link HistoryFault}. */
export function readAnthropic(messages: readonly unknown[]): Read {
  const leftOut = nothingLeftOut();
  const turns = messages.flatMap((message, at): Turn[] => {
    const said = shaped(Message, message, at);
    switch (said.role) {
      case 'system':
        leftOut.system++;
        return [];
      case 'user':
        return userTurns(said.content, at, leftOut);
      case 'assistant': {
        const { model, content } = said;
        const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
        return [{ kind: 'reply', at, ...(model && { model }), ...spokenIn(blocks, at, leftOut) }];
      }
      default:
        return said satisfies never;
    }
  });
  return { turns, leftOut };
}

/** Results come before the messages that were sent with them, as everywhere. */
function userTurns(
  content: string | readonly z.infer<typeof UserBlock>[],
  at: number,
  leftOut: Counted,
): Turn[] {
  if (typeof content === 'string') return [{ kind: 'user', at, parts: [{ text: content }] }];
  const parts: Part[] = [];
  const results: Result[] = [];
  for (const block of content) {
    if (block.type !== 'tool_result') {
      parts.push(partOf(block, leftOut));
      continue;
    }
    const { tool_use_id: callId, content = '', is_error } = block;
    const sent =
      typeof content === 'string' ? [{ text: content }] : content.map((one) => partOf(one, leftOut));
    const media = sent.flatMap((part) => ('media' in part ? [part.media] : []));
    results.push({
      callId,
      text: sent.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n'),
      ...(is_error && { failed: true }),
      ...(media.length > 0 && { media }),
    });
  }
  return [
    ...(results.length > 0 ? [{ kind: 'results' as const, at, results }] : []),
    ...(parts.length > 0 ? [{ kind: 'user' as const, at, parts }] : []),
  ];
}

function partOf(block: Sent, leftOut: Counted): Part {
  if (block.type === 'text') return { text: block.text };
  const { source } = block;
  const name = (block.type === 'document' && block.title) || block.type;
  switch (source.type) {
    case 'base64': {
      const media: Media = { base64: source.data, name, as: asOf(source.media_type) };
      return { media };
    }
    case 'text':
      return { text: source.data };
    case 'url':
    case 'file':
      leftOut.links++;
      return { text: linked(`the ${block.type}`, source.type === 'url' ? source.url : source.file_id) };
    default:
      return source satisfies never;
  }
}

function spokenIn(blocks: readonly z.infer<typeof SpokenBlock>[], at: number, leftOut: Counted) {
  const texts: string[] = [];
  const calls: Call[] = [];
  for (const block of blocks) {
    if (block.type === 'text') texts.push(shaped(text, block, at).text);
    else if (block.type === 'tool_use') {
      const { id, name, input } = shaped(ToolUse, block, at);
      calls.push(callIn({ id, name, input }, at));
    } else if (thinking.includes(block.type)) leftOut.thinking++;
    else if (ofServers.test(block.type)) leftOut.parts++;
    else
      throw new HistoryFault(
        at,
        `a block of the type ${JSON.stringify(block.type.slice(0, 60))} is not supported. Remove it.`,
      );
  }
  return { texts, calls };
}
