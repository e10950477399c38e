/** The files that an agent gives to people, as a run's events say it. */

import { hash } from '../agent/plain/hash.ts';
import { runIdOf } from '../agent/session/run-ids.ts';
import { givenIn } from '../channels/given-files.ts';
import type { SnapshotMessage } from '../contract/events.ts';

export interface StoryFile {
  /** Names this giving: of two calls with the same file, both count. */
  readonly key: string;
  /** Its name, safe to be shown. */
  readonly name: string;
  /** Hash of its content. */
  readonly hash: string;
  readonly bytes: number;
}

/** The files in a result of `send_files`; none for other results, and for an error. */
export const filesIn = (tool: string | undefined, callId: string, content: string): StoryFile[] =>
  givenIn(tool, content).map((file, i) => ({ key: hash(`${callId}/${i}`, 12), ...file }));

/** The files that a run has given before its log was replaced by a snapshot. */
export function filesInSnapshot(runId: string, messages: readonly SnapshotMessage[]): StoryFile[] {
  const tools = new Map(
    messages.flatMap((message) =>
      message.role === 'assistant' && message.id.startsWith(`${runIdOf(runId)}-`)
        ? (message.toolCalls ?? []).map(({ id, function: { name } }) => [id, name] as const)
        : [],
    ),
  );
  return messages.flatMap((message) =>
    message.role === 'tool'
      ? filesIn(tools.get(message.toolCallId), message.toolCallId, message.content)
      : [],
  );
}
