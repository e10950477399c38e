import type { AgUiEvent, CustomEvent } from '../events.ts';
import type { ChatChunk } from './chunks.ts';

/** Our own events that become a data part unchanged; the line (`line.ts`) has more to do for the others. */
type AsData = Exclude<
  CustomEvent['name'],
  | 'steploop.aborted'
  | 'steploop.attached'
  | 'steploop.decided'
  | 'steploop.folded'
  | 'steploop.reconnect'
  | 'steploop.recovered'
  | 'steploop.snapshot_needed'
>;
export type PlainCustom = Extract<CustomEvent, { name: AsData }>;

/** The data part for an event. A task list and a progress report replace the earlier ones. */
export function dataOf(event: PlainCustom): ChatChunk {
  switch (event.name) {
    case 'steploop.usage':
      return { type: 'data-steploop-usage', id: `step-${event.value.step}`, data: event.value };
    case 'steploop.guard':
      return { type: 'data-steploop-guard', data: event.value };
    case 'steploop.provider_switch':
      return { type: 'data-steploop-provider-switch', data: event.value };
    case 'steploop.recovery':
      return { type: 'data-steploop-recovery', data: event.value };
    case 'steploop.server_tools':
      return { type: 'data-steploop-server-tools', data: event.value };
    case 'steploop.omitted':
      return { type: 'data-steploop-omitted', data: event.value };
    case 'steploop.tenant_budget':
      return { type: 'data-steploop-tenant-budget', data: event.value };
    case 'steploop.assessed':
      return { type: 'data-steploop-assessed', data: event.value };
    case 'steploop.tools_missing':
      return { type: 'data-steploop-tools-missing', data: event.value };
    case 'steploop.tools_omitted':
      return { type: 'data-steploop-tools-omitted', data: event.value };
    case 'steploop.server_rule':
      return { type: 'data-steploop-server-rule', data: event.value };
    case 'steploop.files':
      return { type: 'data-steploop-files', data: event.value };
    case 'steploop.tasks':
      return { type: 'data-steploop-tasks', id: 'tasks', data: event.value };
    case 'steploop.decided_before':
      return { type: 'data-steploop-decided-before', data: event.value };
    case 'steploop.ended':
      return { type: 'data-steploop-result', id: 'result', data: event.value };
    case 'steploop.retry':
      return { type: 'data-steploop-retry', data: event.value, transient: true };
    case 'steploop.progress': {
      const { toolCallId } = event.value;
      return { type: 'data-steploop-progress', id: toolCallId, data: event.value, transient: true };
    }
    case 'steploop.skill':
      return { type: 'data-steploop-skill', id: event.value.toolCallId, data: event.value };
    case 'steploop.handoff':
      return { type: 'data-steploop-handoff', id: event.value.toolCallId, data: event.value };
    case 'steploop.folding':
      return { type: 'data-steploop-folding', data: event.value, transient: true };
    default:
      return event satisfies never;
  }
}

type Ending = Extract<AgUiEvent, { type: 'RUN_FINISHED' | 'RUN_ERROR' }>;

/**
 * The end of an answer for the end of its run. A run that waits for people continues with their answers, as tool calls
 * do elsewhere.
 */
export function endOf(event: Ending): ChatChunk[] {
  if (event.type === 'RUN_ERROR') return [{ type: 'error', errorText: event.message }];
  switch (event.outcome.type) {
    case 'success':
      return [{ type: 'finish', finishReason: 'stop' }];
    case 'cancelled':
      return [
        { type: 'abort', reason: 'The run was stopped.' },
        { type: 'finish', finishReason: 'interrupted' },
      ];
    case 'interrupt': {
      const isCall = event.outcome.interrupts.some(({ toolCallId }) => toolCallId !== undefined);
      return [{ type: 'finish', finishReason: isCall ? 'tool-calls' : 'other' }];
    }
    default:
      return event.outcome satisfies never;
  }
}
