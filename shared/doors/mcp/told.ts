import type { AgUiEvent } from '../../contract/events.ts';

/** Receives one line of a run's progress. */
export type Told = (line: string) => void;

/** The line for an event during a run: steps, calls by name, and their progress. */
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
        case 'steploop.skill':
          return `reads the skill ${event.value.skill}`;
        case 'steploop.retry':
          return `the model does not answer (${event.value.code}): it is asked again`;
        default:
          return undefined;
      }
    default:
      return undefined;
  }
}
