import type { AgUiEvent, Frame } from '../../contract/events.ts';

/** State that a dead attempt had told its clients and not retracted. */
export interface LeftOpen {
  readonly runStarted: boolean;
  readonly steps: readonly string[];
  readonly texts: readonly string[];
  readonly reasonings: readonly string[];
  readonly calls: readonly string[];
}

/**
 * Finds in the log what dead attempts left open. Every stream is ended exactly once, even if its Lambda was killed. Frames that
 * open something are logged before they are pushed, so nothing is missed.
 */
export function leftOpen(frames: readonly Frame[]): LeftOpen {
  const steps = new Set<string>();
  const texts = new Set<string>();
  const reasonings = new Set<string>();
  const calls = new Set<string>();
  let runStarted = false;
  for (const { event } of frames) {
    switch (event.type) {
      case 'RUN_STARTED':
        runStarted = true;
        break;
      case 'STEP_STARTED':
        steps.add(event.stepName);
        break;
      case 'STEP_FINISHED':
        steps.delete(event.stepName);
        break;
      case 'TEXT_MESSAGE_START':
        texts.add(event.messageId);
        break;
      case 'TEXT_MESSAGE_END':
        texts.delete(event.messageId);
        break;
      case 'REASONING_MESSAGE_START':
        reasonings.add(event.messageId);
        break;
      case 'REASONING_MESSAGE_END':
        reasonings.delete(event.messageId);
        break;
      case 'TOOL_CALL_START':
        calls.add(event.toolCallId);
        break;
      case 'TOOL_CALL_END':
        calls.delete(event.toolCallId);
        break;
      default:
    }
  }
  return { runStarted, steps: [...steps], texts: [...texts], reasonings: [...reasonings], calls: [...calls] };
}

/** The events that close it, inside out. */
export function closing(open: LeftOpen): AgUiEvent[] {
  return [
    ...open.texts.map((messageId): AgUiEvent => ({ type: 'TEXT_MESSAGE_END', messageId })),
    ...open.reasonings.map((messageId): AgUiEvent => ({ type: 'REASONING_MESSAGE_END', messageId })),
    ...open.calls.map((toolCallId): AgUiEvent => ({ type: 'TOOL_CALL_END', toolCallId })),
    ...open.steps.map((stepName): AgUiEvent => ({ type: 'STEP_FINISHED', stepName })),
  ];
}
