/**
 * The transport of a chat with an agent, for `useChat` of `@ai-sdk/react` and similar hooks.
 *
 * @example
 * const { messages, sendMessage, stop } = useChat({
 *   transport: steploopTransport({ url: chatUrl, token, agent: 'triage' }),
 * });
 */

import type { ChatTransport, UIMessage, UIMessageChunk, UITools } from 'ai';
import type { SteploopData, SteploopPassing } from '../../shared/contract/chat/chunks.ts';
import { continued } from './continued.ts';
import { type ChatAddress, ChatRequests } from './requests.ts';
import { type ChatWaits, settled } from './settled.ts';

type DataParts = { [Name in keyof SteploopData]: SteploopData[Name] } & {
  [Name in Exclude<keyof SteploopPassing, 'steploop-reconnect'>]: SteploopPassing[Name];
};

/** A message with the data parts that an agent sends; you may add types of your own tools. */
export type SteploopUIMessage<Tools extends UITools = UITools> = UIMessage<unknown, DataParts, Tools>;

/** The address of the chat, the credentials, and the meaning of `stop()`. */
export interface SteploopTransportOptions extends ChatAddress {
  /**
   * What `stop()` of the chat does. `cancel` (the default): the run ends. `leave`: the run continues, and only this
   * page stops receiving it. The SDK also calls `stop()` when the component with `useChat` is unmounted; it does not
   * when a page is reloaded or a laptop is closed.
   */
  readonly onStop?: 'cancel' | 'leave';
}

/** The `transport` of `useChat`, with functions that a page with a persistent chat needs besides. */
export interface SteploopTransport<Message extends UIMessage> extends ChatTransport<Message> {
  /** The messages of the chat so far; none for a new chat. For `messages` of `useChat`, together with `resume: true`. */
  messages(chatId: string): Promise<Message[]>;
  /** Ends the run, whatever `onStop` is. Resolves with whether there was a run. */
  stop(chatId: string): Promise<boolean>;
  /**
   * Resolves when a wait of the chat is settled, by this page or by someone elsewhere: load the messages then, and resume.
   * It looks every 3 seconds while the page is visible. Rejects with the reason of `signal`.
   */
  settled(chatId: string, options?: { readonly signal?: AbortSignal }): Promise<void>;
}

/** Chats in progress, by their address: a page may create a transport each time it renders. */
const going = new Map<string, { leave(): void; stopped: Promise<void> }>();

/**
 * A transport to a deployment. It may be created on every render of a component. Its requests reject with a
 * `ProblemError`, whose message is a sentence for people, or as `fetch` does without a network.
 */
export function steploopTransport<Message extends UIMessage = SteploopUIMessage>({
  onStop = 'cancel',
  ...address
}: SteploopTransportOptions): SteploopTransport<Message> {
  const requests = new ChatRequests<Message>(address);

  const stop = async (chatId: string): Promise<boolean> => {
    // The request must reach the server even if the page is closed.
    const response = await requests.ask(chatId, 'stop', { method: 'POST', keepalive: true });
    return ((await response.json()) as { stopped: boolean }).stopped;
  };
  const goOn = async (chatId: string, body: unknown, signal: AbortSignal) =>
    requests.chunks(
      await requests.ask(chatId, 'stream', { method: 'POST', body: JSON.stringify(body), signal }),
    );

  /** The chunks of an answer, until its run rests, or the page stops it. */
  async function followed<Stream extends ReadableStream<UIMessageChunk> | null>(
    chatId: string,
    signal: AbortSignal | undefined,
    open: (signal: AbortSignal) => Promise<Stream>,
    isCalledOff: boolean,
  ): Promise<Stream | ReadableStream<UIMessageChunk>> {
    const name = `${address.url} ${chatId}`;
    const before = going.get(name);
    before?.leave();
    await before?.stopped;
    const left = new AbortController();
    const chat = { leave: () => left.abort(), stopped: Promise.resolve() };
    going.set(name, chat);
    const opening = open(left.signal);
    let isOpen = false;
    const onAbort = () => {
      chat.stopped = (async () => {
        // A message under way must arrive before its run is stopped.
        const sent =
          isOpen ||
          (isCalledOff &&
            (await opening.then(
              () => true,
              () => false,
            )));
        if (sent && onStop === 'cancel') await stop(chatId).catch(() => {});
        left.abort();
      })();
    };
    const stopped = new Promise<undefined>((resolve) => {
      const end = () => {
        onAbort();
        resolve(undefined);
      };
      if (signal?.aborted) end();
      signal?.addEventListener('abort', end, { once: true });
    });
    const stream = await Promise.race([opening, stopped]);
    if (stream === undefined) throw new DOMException('The chat was stopped.', 'AbortError');
    isOpen = true;
    if (stream === null) return stream;
    return continued(
      stream,
      (from) => goOn(chatId, from, left.signal),
      () => {
        if (going.get(name) === chat && !signal?.aborted) going.delete(name);
      },
    );
  }

  return {
    resumeStreamIsReplay: true,
    sendMessages: ({ abortSignal, ...asked }) =>
      followed(
        asked.chatId,
        abortSignal,
        (signal) => requests.sendMessages({ ...asked, abortSignal: signal }),
        true,
      ),
    reconnectToStream: ({ abortSignal, ...asked }) =>
      // Leaving before anything is shown must not stop the run: React mounts twice in development.
      followed(
        asked.chatId,
        abortSignal,
        (signal) => requests.reconnectToStream({ ...asked, abortSignal: signal }),
        false,
      ),
    stop,
    settled: (chatId, { signal } = {}) =>
      settled(async () => {
        const response = await requests.ask(chatId, 'waits', signal && { signal });
        return (await response.json()) as ChatWaits;
      }, signal),
    async messages(chatId) {
      const response = await requests.ask(chatId, 'messages');
      return ((await response.json()) as { messages: Message[] }).messages;
    },
  };
}
