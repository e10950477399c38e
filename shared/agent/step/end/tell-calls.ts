import { callingOf } from '../../session/made.ts';
import type { ModelSlot, ToolCall } from '../../session/slots.ts';
import type { Step } from '../open/step-context.ts';

/** Shows the calls of a reply to clients. */
export function tellCalls(
  { stream }: Pick<Step, 'stream'>,
  slot: ModelSlot,
  calls: readonly ToolCall[],
): void {
  const parentMessageId = callingOf(slot)?.messageId;
  for (const { id: toolCallId, name, input } of calls) {
    stream.emit({
      type: 'TOOL_CALL_START',
      toolCallId,
      toolCallName: name,
      parentMessageId,
    });
    stream.emit({ type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(input) });
    stream.emit({ type: 'TOOL_CALL_END', toolCallId });
  }
}
