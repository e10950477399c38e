import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BlockScript, message, text, toolUse } from './model-events.ts';
import { mayBeFronted } from './model-fronts.ts';
import { reply, type Step, type Strictness, sse, stream as write } from './model-server.ts';
import { strictDoor } from './strict/door.ts';
import type { Refusal } from './strict/rule.ts';

/** A request as a rule sees it. `body` is the whole request. */
export interface AskedModel {
  /** Number of this request to this server, from 1. */
  readonly n: number;
  readonly messages: { role: string; content: { type: string; [key: string]: unknown }[] }[];
  /** Text of the last user message, without results. */
  readonly lastText: string;
  /** Number of model replies in the history. */
  readonly turn: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * A model server that answers by a rule, for tests with many sessions. It refuses what the real server would refuse.
 */
export interface RuleModel extends AsyncDisposable {
  readonly url: string;
  /** Requests that were accepted. */
  readonly asked: readonly AskedModel[];
  /** Requests that were refused. They fail the test at the end of its `await using`. */
  readonly refusals: readonly Refusal[];
}

export async function ruleModel(
  rule: (asked: AskedModel) => Step,
  { dialect, mayRefuse, lax }: Strictness = {},
): Promise<RuleModel> {
  const door = strictDoor(dialect);
  const asked: AskedModel[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const left = new AbortController();
    response.on('close', () => left.abort());
    const { url = '' } = request;
    const raw = Buffer.concat(chunks).toString();
    if (lax !== undefined) door.watch(url, raw, response);
    else if (door.refuses(url, raw, response)) return;
    const body = JSON.parse(raw);
    const messages: AskedModel['messages'] = body.messages.map(withoutSaidLines);
    const last = messages.at(-1)?.content ?? [];
    const seen: AskedModel = {
      n: asked.length + 1,
      messages,
      lastText: last.flatMap((block) => (block.type === 'text' ? [String(block.text)] : [])).join('\n'),
      turn: messages.filter(({ role }) => role === 'assistant').length,
      body,
    };
    asked.push(seen);
    await rule(seen)(response, left.signal);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  mayBeFronted(url, server);
  return {
    url,
    asked,
    refusals: door.refusals,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (!mayRefuse) door.assertNoRefusal();
    },
  };
}

/** Streams text, in these pieces. */
export const sayText = (...pieces: string[]): Step => reply(message([text(...pieces)]));

/** Calls tools, after a line about it. */
export function callTools(...wanted: [name: string, input: unknown][]): Step {
  const blocks: BlockScript[] = wanted.map(([name, input]) =>
    toolUse(`toolu_${++calls}_${Math.random().toString(36).slice(2, 8)}`, name, JSON.stringify(input)),
  );
  return reply(message([text('On it. '), ...blocks], 'tool_use'));
}

let calls = 0;

/** Streams text, and continues with the rest when `until` resolves. */
export const sayTextHeld =
  (first: string, until: Promise<unknown>, rest: string): Step =>
  async (response, left) => {
    const events = message([text(first, rest)]);
    const cut = events.findLastIndex(({ type }) => type === 'content_block_delta');
    await write(response, events.slice(0, cut), left);
    await Promise.race([until, new Promise((resolve) => left.addEventListener('abort', resolve))]);
    for (const event of events.slice(cut)) response.write(sse(event));
    response.end();
  };

/** Streams text with a pause in ms after each piece. */
export const sayTextSlowly = (pauseMs: number, pieces: readonly string[]): Step =>
  reply(
    message([text(...pieces)]).flatMap((event) =>
      event.type === 'content_block_delta' ? [event, { pauseMs }] : [event],
    ),
  );

/** A message without the lines that tell a model when and by whom it was sent, since rules match the message itself. */
function withoutSaidLines<Of extends AskedModel['messages'][number]>(message: Of): Of {
  if (!Array.isArray(message.content)) return message;
  return { ...message, content: message.content.filter(({ text }) => !String(text).startsWith('[said ')) };
}
