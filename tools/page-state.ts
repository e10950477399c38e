import * as z from 'zod';
import type { Tool } from '../shared/agent/define/index.ts';
import { defineTool } from '../shared/agent/define/tool.ts';
import { MAX_CHANGE, STATE_TOOL, type StateChange } from '../shared/contract/page-state.ts';

/** The resource key of all calls: in a batch they run one after the other. No file has this name. */
const STATE = 'page-state:';

/** Names that JSON Patch libraries refuse, because of what they are in JavaScript. */
const refused = ['__proto__', 'constructor', 'prototype'];

/**
 * `set_page_state`: the model changes the state that it shares with the user's page (docs/page-tools.md). Each named field gets a
 * whole new value, which its schema checks; a page over AG-UI gets the change as a `STATE_DELTA`.
 *
 * @param fields the fields that the model may change, with a description of each. Throws if one has a default: a field that
 *   the model does not name stays as it is.
 * @example
 * tools: [pageState(z.object({ theme: z.enum(['light', 'dark']), filter: z.string().describe('Text of the search field.') }))]
 */
export function pageState(fields: z.ZodObject): Tool {
  const wrong = Object.keys(fields.shape).find((name) => refused.includes(name));
  if (wrong !== undefined) throw new Error(`a state cannot have a field named ${wrong}: rename it`);
  const input = z.strictObject(fields.partial().shape);
  const [withDefault] = Object.keys(input.safeParse({}).data ?? {});
  if (withDefault !== undefined)
    throw new Error(
      `the field ${withDefault} of a page's state has a default: remove it, since the model changes only fields that it names`,
    );
  return defineTool({
    name: STATE_TOOL,
    description:
      "Change what the page of the user shows, by the fields of its state: each field that you name gets a new value as a whole, and the others stay. The user sees it at once. The current state came with the user's message, with your own changes since.",
    effect: 'idempotent',
    input,
    touches: () => [STATE],
    run: (given): StateChange => {
      const changed = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      if (Object.keys(changed).length === 0)
        throw new Error(`Name at least one field. There are: ${Object.keys(fields.shape).join(', ')}.`);
      const { length } = JSON.stringify(changed);
      if (length > MAX_CHANGE)
        throw new Error(
          `The change has ${length} characters of JSON, and one may have up to ${MAX_CHANGE}. Nothing was changed: change fewer fields in a call, or keep less in them.`,
        );
      return { changed };
    },
  });
}
