import type { AgUiEvent } from './events.ts';

/** The names of the calls that a client has been shown. Events after the start of a call do not have its name. */
export interface SeenCalls {
  see(event: AgUiEvent): void;
  /** Undefined if the client has not been shown the call. */
  nameOf(callId: string): string | undefined;
}

export function seenCalls(): SeenCalls {
  const names = new Map<string, string>();
  return {
    see(event) {
      if (event.type === 'TOOL_CALL_START') names.set(event.toolCallId, event.toolCallName);
      if (event.type !== 'MESSAGES_SNAPSHOT') return;
      for (const message of event.messages)
        if (message.role === 'assistant')
          for (const { id, function: called } of message.toolCalls ?? []) names.set(id, called.name);
    },
    nameOf: (callId) => names.get(callId),
  };
}
