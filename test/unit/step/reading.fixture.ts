import * as z from 'zod';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import type { ModelRequest } from '../../../shared/agent/ports/provider.ts';
import type { Slot, ToolResult } from '../../../shared/agent/session/slots.ts';
import type { Tool, ToolContext, ToolSpec } from '../../../shared/agent/tools/tool.ts';
import type { AgUiEvent, CustomEvent, RunResult } from '../../../shared/contract/events.ts';

/** A tool that accepts any input and needs no approval: `tool('get', () => 'got')`. */
export const tool = (
  name: string,
  run: (input: Record<string, unknown>, context: ToolContext<string, string>) => unknown = () =>
    `${name} done`,
  more: Partial<Omit<ToolSpec, 'run' | 'name' | 'input'>> = {},
): Tool =>
  defineTool({
    name,
    description: `The tool ${name}.`,
    effect: 'read',
    approval: 'never',
    ...more,
    input: z.looseObject({}),
    run,
  });

/** A tool that records each start, to be run once, and its idempotency key. */
export function notedTool(name: string, effect: Tool['effect'], run: () => unknown = () => `${name} done`) {
  const keys: string[] = [];
  const noted = tool(
    name,
    (_input, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      return run();
    },
    { effect },
  );
  return { tool: noted, keys };
}

type CustomName = CustomEvent['name'];
type ValueOf<Name extends CustomName> = Extract<CustomEvent, { name: Name }>['value'];

/** The values of all custom events of one name. */
export const custom = <Name extends CustomName>(events: readonly AgUiEvent[], name: Name): ValueOf<Name>[] =>
  events.flatMap((event) =>
    event.type === 'CUSTOM' && event.name === name ? [event.value as ValueOf<Name>] : [],
  );

/** How the runs of a session ended, in order. */
export const endings = (events: readonly AgUiEvent[]): RunResult[] => custom(events, 'steploop.ended');

export const ofType = <Type extends AgUiEvent['type']>(events: readonly AgUiEvent[], type: Type) =>
  events.filter((event): event is Extract<AgUiEvent, { type: Type }> => event.type === type);

/** The last run's end in three words. */
export const ending = (events: readonly AgUiEvent[]) => {
  const last = endings(events).at(-1);
  return last && { state: last.state, reason: last.reason, steps: last.steps };
};

export const resultsOf = (slots: readonly Slot[]): ToolResult[] =>
  slots.flatMap((slot) => (slot.kind === 'tools' ? slot.results : []));

/** All text of one role in a request. */
export const textsOf = (request: ModelRequest | undefined, role: 'user' | 'assistant'): string[] =>
  (request?.messages ?? [])
    .filter((message) => message.role === role)
    .flatMap(({ content }) => content.flatMap(({ type, text }) => (type === 'text' ? [String(text)] : [])));

/** The tool results in a request, in order. */
export const answersIn = (request: ModelRequest | undefined) =>
  (request?.messages ?? []).flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_result' ? [block] : [])),
  );
