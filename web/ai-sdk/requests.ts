import { DefaultChatTransport, type UIMessage, type UIMessageChunk } from 'ai';
import type { Problem } from '../../shared/contract/http.ts';
import type { Token } from '../client/http.ts';
import { ProblemError } from '../client/problem.ts';

/** The address of a deployment's chat, and the caller's credentials. */
export interface ChatAddress {
  /** The deployment's output `ChatUrl`. */
  readonly url: string;
  /** The deployment's token, an API key or a JWT; a function is called for each request. */
  readonly token: Token;
  /** Name of the agent for a new chat. Optional if the deployment has only one agent. */
  readonly agent?: string;
}

/** The requests of a chat. */
export class ChatRequests<Message extends UIMessage> extends DefaultChatTransport<Message> {
  private readonly address: ChatAddress;

  constructor(address: ChatAddress) {
    super({
      api: [address.url, address.agent].filter(Boolean).join('/'),
      headers: async () => authorization(address),
      credentials: 'omit',
      fetch: refusing,
      prepareSendMessagesRequest: ({ id, messages, trigger, messageId, body }) => ({
        body: { ...body, id, trigger, messageId, messages: news(messages, messageId) },
      }),
      prepareReconnectToStreamRequest: ({ id }) => ({ api: below(address, id, 'stream') }),
    });
    this.address = address;
  }

  /** Sends a request to a path below the chat. Rejects with a {@link ProblemError}, or as `fetch` does without a network. */
  async ask(
    chatId: string,
    what: 'stream' | 'stop' | 'messages' | 'waits',
    init: RequestInit = {},
  ): Promise<Response> {
    const headers = { 'content-type': 'application/json', ...(await authorization(this.address)) };
    return refusing(below(this.address, chatId, what), { ...init, credentials: 'omit', headers });
  }

  /** The chunks of a streamed response. */
  chunks({ body }: Response): ReadableStream<UIMessageChunk> {
    if (!body) throw new Error('The answer has no body.');
    return this.processResponseStream(body);
  }
}

const below = ({ url }: ChatAddress, chatId: string, what: string): string =>
  `${url}/${encodeURIComponent(chatId)}/${what}`;

async function authorization({ token }: ChatAddress): Promise<{ authorization: string }> {
  return { authorization: `Bearer ${typeof token === 'function' ? await token() : token}` };
}

/** The messages that can be new: the one that is answered, or the last one. The server has the history. */
const news = <Message extends UIMessage>(messages: Message[], messageId: string | undefined): Message[] => {
  const answered = messages.find(({ id, role }) => id === messageId && role === 'assistant');
  return answered ? [answered] : messages.slice(-1);
};

/** Like `fetch`, but a refusal rejects with the sentence of its problem document. */
const refusing = async (...request: Parameters<typeof fetch>): Promise<Response> => {
  const response = await fetch(...request);
  if (response.ok) return response;
  const { status } = response;
  const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
  throw new ProblemError({ type: 'about:blank', title: `HTTP ${status}`, status, ...problem });
};
