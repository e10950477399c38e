import { DefaultChatTransport, type UIMessage, type UIMessageChunk } from 'ai';
import type { Problem } from '../../shared/contract/http.ts';
import { ProblemError, type Token } from '../client/http.ts';

/** Where a deployment's chat is, and who asks. */
export interface ChatAddress {
  /** The output `ChatUrl` of the deployment. */
  readonly url: string;
  /** The deployment's token, an API key or a JWT; a function is asked for each request. */
  readonly token: Token;
  /** Name of the agent that a new chat is with. It may be left out where there is one. */
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

  /** Asks for something below the chat. Rejects with a {@link ProblemError}, or as `fetch` does without a network. */
  async ask(chatId: string, what: 'stream' | 'stop' | 'messages', init: RequestInit = {}): Promise<Response> {
    const headers = { 'content-type': 'application/json', ...(await authorization(this.address)) };
    return refusing(below(this.address, chatId, what), { ...init, credentials: 'omit', headers });
  }

  /** The chunks that a response streams. */
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

/** What can be new: the message that is answered, or the last one. The history is the server's. */
const news = <Message extends UIMessage>(messages: Message[], messageId: string | undefined): Message[] => {
  const answered = messages.find(({ id, role }) => id === messageId && role === 'assistant');
  return answered ? [answered] : messages.slice(-1);
};

/** As `fetch`; a refusal is an error with the sentence of its problem document. */
const refusing = async (...request: Parameters<typeof fetch>): Promise<Response> => {
  const response = await fetch(...request);
  if (response.ok) return response;
  const { status } = response;
  const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
  throw new ProblemError({ type: 'about:blank', title: `HTTP ${status}`, status, ...problem });
};
