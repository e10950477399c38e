/**
 * The transport of a chat with an agent, for `useChat` of `@ai-sdk/react` and its like.
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

type DataParts = { [Name in keyof SteploopData]: SteploopData[Name] } & {
  [Name in Exclude<keyof SteploopPassing, 'steploop-reconnect'>]: SteploopPassing[Name];
};

/** A message with the parts that an agent tells; of tools with types of your own, if you say them. */
export type SteploopUIMessage<Tools extends UITools = UITools> = UIMessage<unknown, DataParts, Tools>;

/** Where the chat is, who asks, and what `stop()` means. */
export interface SteploopTransportOptions extends ChatAddress {
  /**
   * What `stop()` of the chat does. `cancel` (the default): the run ends. `leave`: it goes on, and only this page hears no more. The SDK
   * calls `stop()` also when the component with `useChat` is unmounted; it never does when a page is reloaded or a laptop closed.
   */
  readonly onStop?: 'cancel' | 'leave';
}

/** What `useChat` takes as `transport`, and what a page with a chat that lasts needs beside it. */
export interface SteploopTransport<Message extends UIMessage> extends ChatTransport<Message> {
  /** The chat so far; none of one that is new. For `messages` of `useChat`, beside `resume: true`. */
  messages(chatId: string): Promise<Message[]>;
  /** Ends the run, whatever `onStop` says. Resolves with whether there was one. */
  stop(chatId: string): Promise<boolean>;
}

/** Chats that go on, by their address: a page may make a transport each time it renders. */
const going = new Map<string, { leave(): void; stopped: Promise<void> }>();

/**
 * A transport to a deployment. It may be made anew each time that a component renders. Its requests reject with a
 * `ProblemError`, whose message is a sentence for people, or as `fetch` does without a network.
 */
export function steploopTransport<Message extends UIMessage = SteploopUIMessage>({
  onStop = 'cancel',
  ...address
}: SteploopTransportOptions): SteploopTransport<Message> {
  const requests = new ChatRequests<Message>(address);

  const stop = async (chatId: string): Promise<boolean> => {
    // It must reach the server also when the page goes.
    const response = await requests.ask(chatId, 'stop', { method: 'POST', keepalive: true });
    return ((await response.json()) as { stopped: boolean }).stopped;
  };
  const goOn = async (chatId: string, body: unknown, signal: AbortSignal) =>
    requests.chunks(
      await requests.ask(chatId, 'stream', { method: 'POST', body: JSON.stringify(body), signal }),
    );

  /** The chunks of an answer, until its run is at rest, or the page stops it. */
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
        // A message that is on its way must be there before its run is stopped.
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
      // Who leaves before anything is shown has stopped nothing: React mounts twice while one develops.
      followed(
        asked.chatId,
        abortSignal,
        (signal) => requests.reconnectToStream({ ...asked, abortSignal: signal }),
        false,
      ),
    stop,
    async messages(chatId) {
      const response = await requests.ask(chatId, 'messages');
      return ((await response.json()) as { messages: Message[] }).messages;
    },
  };
}
