import type { ServerResponse } from 'node:http';
import { givenCalls } from './chat/given.ts';
import { givenSignatures } from './generate/given.ts';
import { givenBlocks } from './messages/given.ts';
import { refusalOf } from './refusal.ts';
import { givenItems } from './responses/given.ts';
import { apiOf, type Dialect, type Fields, isFields, type Refusal } from './rule.ts';
import { chatReplyIn, itemsIn, messagesReplyIn, partsIn } from './streamed.ts';

/** Stands before a scripted model server: refuses what the real server would refuse, and remembers the replies. */
export interface StrictDoor {
  /** Refusals so far. */
  readonly refusals: readonly Refusal[];
  /**
   * Refuses a request, or admits it and watches the reply.
   * @param url URL of the request, which tells the API
   * @param raw the body as it arrived
   * @returns whether the request was refused; if so, it is already answered
   */
  refuses(url: string, raw: string, response: ServerResponse): boolean;
  /** Watches the reply to a request that is admitted in any case. */
  watch(url: string, raw: string, response: ServerResponse): void;
  /** Throws if something was refused: then a test in which the product sent it has found a fault. */
  assertNoRefusal(): void;
}

/** @param dialect the server to imitate; by default `anthropic`, `openai`, `responses`, `converse` or `generate`, by the URL */
export function strictDoor(dialect?: Dialect): StrictDoor {
  const blocks = givenBlocks();
  const calls = givenCalls();
  const refusals: Refusal[] = [];
  const items = givenItems();
  const signatures = givenSignatures();
  const dialectOf = (url: string): Dialect => dialect ?? dialectAt(url);
  const givenTo = {
    messages: blocks,
    chat: calls,
    responses: items,
    converse: undefined,
    generate: signatures,
  };

  const watch = (url: string, raw: string, response: ServerResponse) => {
    const body = parsed(raw);
    if (!body) return;
    listen(response, (text) => {
      switch (apiOf(dialectOf(url))) {
        case 'messages': {
          const reply = messagesReplyIn(text);
          if (reply) blocks.took(body, reply.content, reply.stop);
          return;
        }
        case 'chat': {
          const message = chatReplyIn(text);
          if (message) calls.took(message);
          return;
        }
        case 'responses':
          items.took(itemsIn(text));
          return;
        case 'converse':
          return;
        case 'generate':
          signatures.took(body, partsIn(text));
          return;
      }
    });
  };

  return {
    refusals,
    refuses(url, raw, response) {
      const body = parsed(raw);
      const as = dialectOf(url);
      const refusal = body && refusalOf(body, raw, as, givenTo[apiOf(as)]);
      if (!refusal) {
        watch(url, raw, response);
        return false;
      }
      refusals.push(refusal);
      response
        .writeHead(refusal.status, {
          'content-type': 'application/json',
          ...(as === 'converse' && { 'x-amzn-errortype': 'ValidationException' }),
        })
        .end(JSON.stringify(refusal.body));
      return true;
    },
    watch,
    assertNoRefusal() {
      if (refusals.length === 0) return;
      const told = refusals.map(({ rule, message }) => `${message} (${rule})`).join('\n');
      throw new Error(`the model server refused what it was sent:\n${told}`);
    },
  };
}

function dialectAt(url: string): Dialect {
  if (url.includes('/chat/completions')) return 'openai';
  if (url.endsWith('/converse-stream')) return 'converse';
  if (/:(?:streamG|g)enerateContent(?:\?|$)/.test(url)) return 'generate';
  return url.endsWith('/responses') ? 'responses' : 'anthropic';
}

function parsed(raw: string): Fields | undefined {
  try {
    const body: unknown = JSON.parse(raw);
    return isFields(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

/** Reports what was written as the body when the reply is over, whether complete or not. */
function listen(response: ServerResponse, tell: (text: string) => void): void {
  const chunks: Uint8Array[] = [];
  const keep = (chunk: unknown) => {
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
    else if (chunk instanceof Uint8Array) chunks.push(chunk);
  };
  const { write, end } = response;
  response.write = ((...args: Parameters<typeof write>) => {
    keep(args[0]);
    return write.apply(response, args);
  }) as typeof write;
  response.end = ((...args: Parameters<typeof end>) => {
    keep(args[0]);
    // Reported before the client can have read all of it, since its next request may already be under way.
    tell(Buffer.concat(chunks).toString());
    return end.apply(response, args);
  }) as typeof end;
}
