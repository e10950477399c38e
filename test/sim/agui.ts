import type { AgUiEvent } from '../../shared/contract/events.ts';

/**
 * The order rules of AG-UI for one client's stream. `verifyEvents` of @ag-ui/client is too slow for millions of events,
 * and does not know dead attempts.
 */
export interface OrderCheck {
  /** Describes what is wrong with this event at this point, or returns undefined. */
  next(event: AgUiEvent, seq: number): string | undefined;
  /** Takes back everything after this seq, which a dead attempt told (`shared/contract/strict.ts`, rule 2). */
  rewind(seq: number): string | undefined;
}

type Kind = 'run' | 'step' | 'text' | 'thought' | 'call';
type Change = readonly [seq: number, kind: Kind, id: string, opened: boolean];

export function createOrderCheck(): OrderCheck {
  const open = new Set<string>();
  /** Changes of the current run, newest last. */
  let changes: Change[] = [];

  const change = (seq: number, kind: Kind, id: string, opens: boolean): string | undefined => {
    const thing = `${kind} ${id}`;
    if (open.has(thing) === opens) return `${thing} is ${opens ? 'open already' : 'not open'}`;
    if (opens) open.add(thing);
    else open.delete(thing);
    changes.push([seq, kind, id, opens]);
    return undefined;
  };
  const within = (kind: Kind, id: string) =>
    open.has(`${kind} ${id}`) ? undefined : `${kind} ${id} is not open`;
  const endRun = (seq: number) => {
    const wrong = change(seq, 'run', '', false);
    return wrong ?? (open.size > 0 ? `the run ends with ${[...open].join(', ')} open` : undefined);
  };

  return {
    next(event, seq) {
      if (event.type === 'RUN_STARTED') {
        if (!open.has('run ')) changes = [];
        return change(seq, 'run', '', true);
      }
      if (!open.has('run ')) return `${event.type} outside of a run`;
      switch (event.type) {
        case 'RUN_FINISHED':
        case 'RUN_ERROR':
          return endRun(seq);
        case 'STEP_STARTED':
        case 'STEP_FINISHED':
          return change(seq, 'step', event.stepName, event.type === 'STEP_STARTED');
        case 'TEXT_MESSAGE_START':
        case 'TEXT_MESSAGE_END':
          return change(seq, 'text', event.messageId, event.type === 'TEXT_MESSAGE_START');
        case 'TEXT_MESSAGE_CONTENT':
          return within('text', event.messageId);
        case 'REASONING_MESSAGE_START':
        case 'REASONING_MESSAGE_END':
          return change(seq, 'thought', event.messageId, event.type === 'REASONING_MESSAGE_START');
        case 'REASONING_MESSAGE_CONTENT':
          return within('thought', event.messageId);
        case 'TOOL_CALL_START':
        case 'TOOL_CALL_END':
          return change(seq, 'call', event.toolCallId, event.type === 'TOOL_CALL_START');
        case 'TOOL_CALL_ARGS':
          return within('call', event.toolCallId);
        case 'TOOL_CALL_RESULT':
        case 'MESSAGES_SNAPSHOT':
        case 'ACTIVITY_SNAPSHOT':
        case 'CUSTOM':
          return undefined;
        default:
          return event satisfies never;
      }
    },
    rewind(to) {
      for (let last = changes.at(-1); last && last[0] > to; last = changes.at(-1)) {
        const [, kind, id, opened] = last;
        if (kind === 'run' && !opened) return 'an attempt that died has ended the run';
        if (opened) open.delete(`${kind} ${id}`);
        else open.add(`${kind} ${id}`);
        changes.pop();
      }
      return undefined;
    },
  };
}
