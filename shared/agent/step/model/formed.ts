/** Brings tools into form. Loaded only by the first step of a session. */

import { memoize } from '../../plain/memoize.ts';
import type { Pinned, PinnedTool } from '../../session/pinned.ts';
import { formOf, pinnedWith } from '../../tools/forms/form.ts';

/** A definition with its tools in the form that every model server accepts. Returns the same object if they already are, as most are. */
export function formed(pinned: Pinned): Pinned {
  const tools = formsOf(pinned.tools);
  const isSame = tools.length === pinned.tools.length && tools.every((tool, i) => tool === pinned.tools[i]);
  return isSame ? pinned : { ...pinned, tools, formed: true };
}

/** A tool without a form is left out: no call could have arguments for it. */
export const formsOf = (tools: readonly PinnedTool[]): readonly PinnedTool[] =>
  formsIn(tools).flatMap((tool) => tool ?? []);

/** Made once for each definition that a worker remembers. */
const formsIn = memoize((tools: readonly PinnedTool[]) => tools.map(inForm));

function inForm(tool: PinnedTool): PinnedTool | undefined {
  const made = formOf(tool.input_schema);
  if (made.kind === 'none') return undefined;
  const pinned = pinnedWith(tool, made.form);
  return JSON.stringify(pinned) === JSON.stringify(tool) ? tool : pinned;
}
