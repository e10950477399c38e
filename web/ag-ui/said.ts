import type { Message, RunAgentInput } from '@ag-ui/client';
import { pageAnswersIn, toolMessagesIn } from '../../shared/contract/ag-ui.ts';
import { contentOf, type MediaPart, type SaidContent, shownIn } from '../../shared/contract/ag-ui-parts.ts';
import { resultIdOf } from '../../shared/contract/chat/ids.ts';
import type { DecidedBefore, SnapshotMessage } from '../../shared/contract/events.ts';
import { eventIdFor } from '../../shared/contract/ids.ts';
import type { MessageContent } from '../../shared/contract/message.ts';
import type { PageBody } from '../../shared/contract/page-input.ts';
import type { HttpClient } from '../client/http-client.ts';
import { ProblemError } from '../client/problem.ts';

/** A new message from a front end. */
export interface NewMessage {
  readonly id: string;
  readonly content: SaidContent;
}

/** Only the last user message can be new: the server has the history. */
export function newMessage(messages: readonly Message[]): NewMessage | undefined {
  const last = messages.at(-1);
  if (last?.role !== 'user') return undefined;
  const content = contentOf(last.content);
  if (!content) throw new Error('only text, images, documents, audio and video can be sent');
  return { id: last.id, content };
}

/** The front end's own ids of its messages, and of its answers to calls, by the server's ids. */
export async function ownIds(messages: readonly Message[]): Promise<Map<string, string>> {
  const own = messages.filter(({ role }) => role === 'user');
  const said = own.map(async ({ id }) => [`user-${await eventIdFor(id)}`, id] as const);
  const answered = toolMessagesIn(messages).map(
    ({ id, toolCallId }) => [resultIdOf(toolCallId), id] as const,
  );
  return new Map([...(await Promise.all(said)), ...answered]);
}

/** The page of a message: its tools, and what it shows. Undefined if it has nothing to offer. */
export function pageOf({ tools, context, state }: RunAgentInput): PageBody | undefined {
  const isEmpty = (value: unknown) =>
    typeof value === 'object' && value !== null ? Object.keys(value).length === 0 : !value;
  return isEmpty(tools) && isEmpty(context) && isEmpty(state) ? undefined : { tools, context, state };
}

/** Sends the front end's answers to calls of its tools. One that comes second does not keep the others from counting. */
export async function answerCalls(
  sessionId: string,
  messages: readonly Message[],
  client: Pick<HttpClient, 'answerCall'>,
): Promise<{ readonly counted: number; readonly late: readonly DecidedBefore[] }> {
  const late: DecidedBefore[] = [];
  const answers = pageAnswersIn(messages);
  for (const { toolCallId, answer } of answers) {
    const said = 'error' in answer ? answer : { result: answer.result ?? '' };
    await client.answerCall(sessionId, { toolCallId, ...said }).catch((error: unknown) => {
      if (!(error instanceof ProblemError && error.problem.status === 409)) throw error;
      late.push({ id: toolCallId, detail: error.problem.detail ?? error.problem.title });
    });
  }
  return { counted: answers.length - late.length, late };
}

/** A message in the form that the API takes: attachments are uploaded first, in order. Links are fetched by this process. */
export async function uploaded(
  { text, media }: SaidContent,
  client: Pick<HttpClient, 'upload'>,
): Promise<MessageContent> {
  if (media.length === 0) return text;
  const parts: Exclude<MessageContent, string> = [];
  for (const part of media) parts.push({ type: part.as, upload: await uploadOf(part, client) });
  return text.trim() === '' ? parts : [...parts, { type: 'text', text }];
}

async function uploadOf(
  { name, mediaType, source }: MediaPart,
  client: Pick<HttpClient, 'upload'>,
): Promise<string> {
  const as = { name, ...(mediaType !== undefined && { mediaType }) };
  switch (source.kind) {
    case 'upload':
      return source.id;
    case 'base64':
      return client.upload(new Blob([Uint8Array.from(atob(source.base64), (one) => one.charCodeAt(0))]), as);
    case 'url': {
      const response = await fetch(source.url);
      if (!response.ok) throw new Error(`${name} could not be fetched: HTTP ${response.status}`);
      return client.upload(await response.blob(), as);
    }
    default:
      return source satisfies never;
  }
}

/** Links to the attachments of these messages, by hash. They are valid for five minutes. */
export async function linksIn(
  messages: SnapshotMessage[],
  sessionId: string,
  client: Pick<HttpClient, 'attachment'>,
): Promise<ReadonlyMap<string, string>> {
  const hashes = new Set(shownIn({ type: 'MESSAGES_SNAPSHOT', messages }).map(({ hash }) => hash));
  const links = [...hashes].map(
    async (hash) => [hash, (await client.attachment(sessionId, hash)).url] as const,
  );
  return new Map(await Promise.all(links));
}
