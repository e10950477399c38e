import type { AgUiEvent, Frame } from '../../../../shared/contract/events.ts';

/**
 * The events of one step, up to its end. Pure.
 *
 * @param frames those after the cursor of the step
 */
export function eventsOf(frames: readonly Frame[]): AgUiEvent[] {
  const events = frames.map(({ event }) => event);
  const end = events.findIndex(({ type }) => type === 'STEP_FINISHED');
  return end === -1 ? events : events.slice(0, end + 1);
}
