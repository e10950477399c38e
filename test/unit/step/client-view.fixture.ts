import { verifyEvents } from '@ag-ui/client';
import { EventSchemas } from '@ag-ui/core/schemas';
import { from, lastValueFrom, toArray } from 'rxjs';
import type { AgUiEvent, SnapshotMessage } from '../../../shared/contract/events.ts';

/** Passes the events through AG-UI's own schemas and its check of their order. Rejects with the errors. */
export async function verifyOrder(events: readonly AgUiEvent[]): Promise<void> {
  const parsed = events.map((event) => EventSchemas.parse(event));
  await lastValueFrom(from(parsed).pipe(verifyEvents(), toArray()));
}

/**
 * The view of a client that does what each event says, and no more.
 *
 * @param fetched the messages that it reads over HTTP when the server asks for that
 */
export function clientView(
  events: readonly AgUiEvent[],
  fetched: readonly SnapshotMessage[] = [],
): SnapshotMessage[] {
  let shown: SnapshotMessage[] = [];
  const last = (id: string) => shown.findLast((message) => message.id === id);
  const assistant = (id: string) => {
    const found = last(id);
    if (found?.role === 'assistant') return found;
    const made: Extract<SnapshotMessage, { role: 'assistant' }> = { id, role: 'assistant' };
    shown.push(made);
    return made;
  };

  for (const event of events) {
    switch (event.type) {
      case 'TEXT_MESSAGE_START':
        shown.push({ id: event.messageId, role: event.role, content: '' });
        break;
      case 'TEXT_MESSAGE_CONTENT': {
        const message = last(event.messageId);
        if (message) message.content = (message.content ?? '') + event.delta;
        break;
      }
      case 'TOOL_CALL_START': {
        const message = assistant(event.parentMessageId ?? event.toolCallId);
        const call = { name: event.toolCallName, arguments: '' };
        message.toolCalls = [
          ...(message.toolCalls ?? []),
          { id: event.toolCallId, type: 'function', function: call },
        ];
        break;
      }
      case 'TOOL_CALL_ARGS':
        for (const message of shown) {
          const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
          for (const call of calls) if (call.id === event.toolCallId) call.function.arguments += event.delta;
        }
        break;
      case 'TOOL_CALL_RESULT':
        shown.push({
          id: event.messageId,
          role: 'tool',
          toolCallId: event.toolCallId,
          content: event.content,
        });
        break;
      case 'MESSAGES_SNAPSHOT':
        shown = structuredClone(event.messages);
        break;
      case 'CUSTOM':
        if (event.name === 'steploop.snapshot_needed') shown = structuredClone([...fetched]);
        if (event.name === 'steploop.aborted') {
          const { messageIds } = event.value;
          shown = shown.filter(({ id }) => !messageIds.includes(id));
        }
        break;
      default:
    }
  }
  return shown;
}
