import { commandOf, plainPath } from '../session/facts.ts';
import type { ToolCall, ToolResult } from '../session/slots.ts';
import { changedPaths, movesOn } from './changed-paths.ts';
import type { Tool } from './tool.ts';
import { covers } from './touches.ts';

/** The changes of a call, as tests of the path that a read names. */
export type Changed = 'everything' | readonly ((read: string) => boolean)[];

/** The changes of a run's commands, for calls in their order: from the record of the workspace, otherwise from their words. */
export function shellChanges(): (call: ToolCall, result: ToolResult, tool: Tool) => Changed {
  /** An earlier command has changed the folder, so relative paths of later ones are not known. */
  let moved = false;
  return (call, result, tool) => {
    if (tool.evidence?.workspace === true) return recorded(result);
    const script = commandOf(call);
    if (script === undefined) return 'everything';
    moved ||= movesOn(script);
    const paths = isPlainCall(call) && result.outcome !== 'unknown' ? changedPaths(script) : undefined;
    if (!paths || (moved && paths.length > 0)) return 'everything';
    return paths.map((path) => (read) => mayBe(read, path));
  };
}

/** The record lists a call's changes if it ended `ok`; an empty list stands for too many (`ToolResult.changes`). */
function recorded({ outcome, changes }: ToolResult): Changed {
  if (outcome !== 'ok' || changes?.length === 0) return 'everything';
  return (changes ?? []).map(
    ({ path }) =>
      (read) =>
        covers(read, path),
  );
}

/** Whether a call has only its command: options such as a folder, or running in the background, change what its words mean. */
const isPlainCall = ({ input }: ToolCall): boolean =>
  Object.keys(input as object).every((key) => /^(?:command|cmd|script|description|timeout\w*)$/i.test(key));

/**
 * Whether a path in a command may be the one that a read names, although the folder of the shell is not known. Only names with
 * an extension are taken for files.
 */
function mayBe(read: string, path: string): boolean {
  const name = plainPath(path).split('/').at(-1) ?? '';
  if (!FILE.test(plainPath(read)) || !FILE.test(name) || covers(read, path)) return true;
  return plainPath(read).split('/').includes(name);
}

const FILE = /[^./]\.\w{1,10}$/;
