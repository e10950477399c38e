import type { AgUiEvent } from '../../shared/contract/events.ts';

/** Hears a line of what a run does. */
export type Told = (line: string) => void;

/** What there is to tell of an event while a run goes on: steps, calls by their names, and how far they are. */
export function lineOf(event: AgUiEvent): string | undefined {
  switch (event.type) {
    case 'STEP_STARTED':
      return event.stepName;
    case 'TOOL_CALL_START':
      return `calls ${event.toolCallName}`;
    case 'CUSTOM':
      switch (event.name) {
        case 'steploop.progress':
          return event.value.message;
        case 'steploop.retry':
          return `the model does not answer (${event.value.code}): it is asked again`;
        default:
          return undefined;
      }
    default:
      return undefined;
  }
}
