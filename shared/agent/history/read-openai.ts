import * as z from 'zod';
import {
  type Counted,
  callIn,
  inDataUrl,
  linked,
  nothingLeftOut,
  oneOf,
  parsedArguments,
  shaped,
  shown,
} from './checks.ts';
import { HistoryFault, type Part, type Read, type Turn } from './turns.ts';

const text = z.looseObject({ type: z.literal('text'), text: z.string() });
const UserPart = z.discriminatedUnion(
  'type',
  [
    text,
    z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string().min(1) }) }),
    z.looseObject({
      type: z.literal('file'),
      file: z.looseObject({
        file_data: z.string().optional(),
        file_id: z.string().optional(),
        filename: z.string().optional(),
      }),
    }),
  ],
  { error: oneOf('text, image_url or file') },
);
const SpokenPart = z.discriminatedUnion(
  'type',
  [text, z.looseObject({ type: z.literal('refusal'), refusal: z.string() })],
  { error: oneOf('text or refusal') },
);
const ToolCall = z.looseObject({
  id: z.string().min(1).max(512),
  type: z.literal('function', 'must be function: calls of other kinds are not imported').optional(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});
const none = z.null().optional();

/** A message of chat completions. Additional fields of servers (`annotations`, `audio`, …) are not read. */
const Message = z.discriminatedUnion(
  'role',
  [
    z.looseObject({ role: z.literal('system') }),
    z.looseObject({ role: z.literal('developer') }),
    z.looseObject({ role: z.literal('user'), content: z.union([z.string(), z.array(UserPart)]) }),
    z.looseObject({
      role: z.literal('assistant'),
      content: z.union([z.string(), z.array(SpokenPart), z.null()]).optional(),
      refusal: z.string().nullish(),
      tool_calls: z.array(ToolCall).nullish(),
      function_call: none,
      reasoning_content: z.string().nullish(),
      reasoning: z.unknown().optional(),
    }),
    z.looseObject({
      role: z.literal('tool'),
      tool_call_id: z.string().min(1).max(512),
      content: z.union([z.string(), z.array(text)]),
    }),
  ],
  { error: oneOf('system, developer, user, assistant or tool') },
);

/** Reads messages of OpenAI's chat completions. Throws {@link HistoryFault}. */
export function readOpenai(messages: readonly unknown[]): Read {
  const leftOut = nothingLeftOut();
  const turns = messages.flatMap((message, at): Turn[] => {
    const said = shaped(Message, message, at);
    switch (said.role) {
      case 'system':
      case 'developer':
        leftOut.system++;
        return [];
      case 'user':
        return [{ kind: 'user', at, parts: partsOf(said.content, at, leftOut) }];
      case 'assistant': {
        if (said.reasoning_content || said.reasoning) leftOut.thinking++;
        const calls = (said.tool_calls ?? []).map(({ id, function: { name, arguments: sent } }) =>
          callIn({ id, name, input: parsedArguments(sent, id, at) }, at),
        );
        const texts = [...spokenIn(said.content), ...(said.refusal ? [said.refusal] : [])];
        return [{ kind: 'reply', at, texts, calls }];
      }
      case 'tool': {
        const { tool_call_id: callId, content } = said;
        return [{ kind: 'results', at, results: [{ callId, text: spokenIn(content).join('\n') }] }];
      }
      default:
        return said satisfies never;
    }
  });
  return { turns, leftOut };
}

type Content = string | readonly (z.infer<typeof SpokenPart> | z.infer<typeof text>)[] | null | undefined;

function spokenIn(content: Content): string[] {
  if (typeof content === 'string') return [content];
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : part.refusal));
}

function partsOf(
  content: string | readonly z.infer<typeof UserPart>[],
  at: number,
  leftOut: Counted,
): Part[] {
  if (typeof content === 'string') return [{ text: content }];
  return content.map((part) => {
    switch (part.type) {
      case 'text':
        return { text: part.text };
      case 'image_url': {
        const { url } = part.image_url;
        const media = inDataUrl(url, 'image', at);
        if (media) return { media };
        leftOut.links++;
        return { text: linked('an image', url) };
      }
      case 'file': {
        const { file_data: data, file_id: id, filename = 'file' } = part.file;
        const media = data === undefined ? undefined : inDataUrl(data, filename, at);
        if (media) return { media };
        if (id === undefined)
          throw new HistoryFault(
            at,
            `the file ${shown(filename)} must have its bytes as a data: URL, or an id.`,
          );
        leftOut.links++;
        return { text: linked(`the file ${shown(filename)}`, id) };
      }
      default:
        return part satisfies never;
    }
  });
}
