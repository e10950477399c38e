import * as z from 'zod';
import {
  asOf,
  type Counted,
  callIn,
  inDataUrl,
  linked,
  nothingLeftOut,
  oneOf,
  shaped,
  shown,
} from './checks.ts';
import { type Call, HistoryFault, type Part, type Read, type Result, type Turn } from './turns.ts';

const Loose = z.looseObject({ type: z.string() });
type Loose = z.infer<typeof Loose>;

const Message = z.discriminatedUnion(
  'role',
  [
    z.looseObject({ role: z.literal('system') }),
    z.looseObject({ role: z.literal('user'), parts: z.array(Loose) }),
    z.looseObject({ role: z.literal('assistant'), parts: z.array(Loose) }),
  ],
  { error: oneOf('system, user or assistant') },
);

const Text = z.looseObject({ text: z.string() });
const File = z.looseObject({
  url: z.string().min(1),
  mediaType: z.string(),
  filename: z.string().nullish(),
});
/** A message that the user sent while the run was active. */
const Steering = z.looseObject({ parts: z.array(Loose) });
const ToolPart = z.looseObject({
  toolCallId: z.string().min(1).max(512),
  toolName: z.string().optional(),
  state: z.enum([
    'input-streaming',
    'input-available',
    'approval-requested',
    'approval-responded',
    'output-available',
    'output-error',
    'output-denied',
  ]),
  input: z.unknown().optional(),
  rawInput: z.unknown().optional(),
  output: z.unknown().optional(),
  errorText: z.string().optional(),
});

/** Parts that a page shows and no model reads: `convertToModelMessages` leaves them out too. */
const forPagesOnly = /^(source-url|source-document|custom|data-.*)$/;

/** Reads `UIMessage`s of the AI SDK. Throws {@link HistoryFault}. */
export function readAiSdk(messages: readonly unknown[]): Read {
  const leftOut = nothingLeftOut();
  const turns = messages.flatMap((message, at): Turn[] => {
    const said = shaped(Message, message, at);
    switch (said.role) {
      case 'system':
        leftOut.system++;
        return [];
      case 'user':
        return [{ kind: 'user', at, parts: said.parts.flatMap((part) => partsOf(part, at, leftOut)) }];
      case 'assistant':
        return stepsIn(said.parts, at, leftOut);
      default:
        return said satisfies never;
    }
  });
  return { turns, leftOut };
}

function partsOf(part: Loose, at: number, leftOut: Counted): Part[] {
  if (part.type === 'text') return [{ text: shaped(Text, part, at).text }];
  if (part.type === 'file') return [fileOf(part, at, leftOut)];
  if (!forPagesOnly.test(part.type)) throw unknownPart(part, at);
  leftOut.parts++;
  return [];
}

function fileOf(part: Loose, at: number, leftOut: Counted): Part {
  const { url, mediaType, filename } = shaped(File, part, at);
  const name = filename || 'file';
  const media = inDataUrl(url, name, at);
  if (media) return { media: { ...media, as: asOf(mediaType) } };
  leftOut.links++;
  return { text: linked(`the file ${shown(name)}`, url) };
}

/** A message of the assistant has all steps of its run: text after results belongs to another reply. */
function stepsIn(parts: readonly Loose[], at: number, leftOut: Counted): Turn[] {
  const turns: Turn[] = [];
  let texts: string[] = [];
  let calls: Call[] = [];
  let results: Result[] = [];
  const flush = () => {
    if (texts.length + calls.length > 0) turns.push({ kind: 'reply', at, texts, calls });
    if (results.length > 0) turns.push({ kind: 'results', at, results });
    texts = [];
    calls = [];
    results = [];
  };
  for (const part of parts) {
    const tool = toolNameOf(part);
    if (part.type === 'step-start') flush();
    else if (part.type === 'steering-message') {
      flush();
      const said = shaped(Steering, part, at).parts;
      turns.push({ kind: 'user', at, parts: said.flatMap((one) => partsOf(one, at, leftOut)) });
    } else if (part.type === 'text') {
      if (calls.length > 0) flush();
      texts.push(shaped(Text, part, at).text);
    } else if (part.type === 'reasoning' || part.type === 'reasoning-file') leftOut.thinking++;
    else if (part.type === 'file') {
      leftOut.links++;
      texts.push(linked('a file that the model has made', shaped(File, part, at).mediaType));
    } else if (tool !== undefined) {
      const called = callOf(tool, part, at);
      if (!called) leftOut.parts++;
      else {
        calls.push(called.call);
        if (called.result) results.push(called.result);
      }
    } else if (forPagesOnly.test(part.type)) leftOut.parts++;
    else throw unknownPart(part, at);
  }
  flush();
  return turns;
}

const toolNameOf = ({ type, toolName }: Loose): string | undefined => {
  if (type === 'dynamic-tool') return typeof toolName === 'string' ? toolName : '';
  return /^tool-(.*)$/s.exec(type)?.[1];
};

/** A call, with its result if it has one; undefined while its input was still streaming. */
function callOf(name: string, part: Loose, at: number): { call: Call; result?: Result } | undefined {
  const { toolCallId: id, state, input, rawInput, output, errorText } = shaped(ToolPart, part, at);
  if (state === 'input-streaming') return undefined;
  const call = callIn({ id, name, input: input ?? (state === 'output-error' ? asObject(rawInput) : {}) }, at);
  switch (state) {
    case 'input-available':
    case 'approval-requested':
    case 'approval-responded':
      return { call };
    case 'output-available':
      return { call, result: { callId: id, ...outputOf(output) } };
    case 'output-error':
      return { call, result: { callId: id, text: errorText ?? 'The call has failed.', failed: true } };
    case 'output-denied':
      return { call, result: { callId: id, text: 'The user has denied this call.', failed: true } };
    default:
      return state satisfies never;
  }
}

/** Input that did not fit the tool's schema is stored there as it came. */
const asObject = (raw: unknown): unknown =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw) ? raw : { input: raw ?? null };

const outputOf = (output: unknown): Pick<Result, 'text' | 'json'> =>
  typeof output === 'string' || output === undefined
    ? { text: output ?? '' }
    : { text: JSON.stringify(output), json: true };

const unknownPart = ({ type }: Loose, at: number): HistoryFault =>
  new HistoryFault(at, `a part of the type ${shown(type)} is not supported. Remove it.`);
