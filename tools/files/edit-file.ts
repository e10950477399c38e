import * as z from 'zod';
import { defineTool } from '../../shared/agent/define/tool.ts';
import { argumentsOf, flag, pathAliases } from '../plain/arguments.ts';
import { replaced } from '../plain/replaced.ts';
import { seenIn } from '../plain/seen.ts';
import { cutTo, decode } from '../plain/text.ts';
import { missing } from './missing.ts';

/** Most characters of a diff. */
const MAX_DIFF = 8_000;
/** Milliseconds for making a diff: for a file that has changed completely it takes long and is worth little. */
const DIFF_MS = 500;

/**
 * Replaces a text of a file by another: an exact match, in one place unless told otherwise, and only in a file that the
 * session has read.
 */
export const editFile = defineTool({
  name: 'edit_file',
  description:
    'Replace old_string in a file of the workspace by new_string. Read the file first. old_string must be exactly as in the file, whitespace and all, and occur once: give enough lines around the change, or set replace_all.',
  effect: 'idempotent',
  evidence: { changes: 'files', workspace: true },
  drafts: true,
  input: argumentsOf(
    {
      path: z.string().min(1),
      old_string: z.string(),
      new_string: z.string(),
      replace_all: flag().optional(),
    },
    {
      path: pathAliases,
      old_string: ['oldString', 'old_text', 'oldText', 'old_str', 'old', 'search', 'find'],
      new_string: ['newString', 'new_text', 'newText', 'new_str', 'new', 'replace', 'replacement'],
      replace_all: ['replaceAll', 'all'],
    },
  ),
  touches: ({ path }) => [path],
  async run({ path, old_string, new_string, replace_all = false }, { services: { workspace, blobs } }) {
    const file = await workspace.stat(path);
    if (!file) throw await missing(path, workspace);
    const decoded = decode(await workspace.read(path));
    if (decoded.kind === 'binary') throw new Error(`${file.path} is ${decoded.what}: it cannot be edited.`);
    const seen = seenIn(blobs);
    const known = await seen.of(file.path, file.hash);
    if (known !== 'seen')
      throw new Error(
        known === 'never'
          ? `Read ${file.path} with read_file first: only what has been read is edited. Nothing was changed.`
          : `${file.path} has changed since it was read. Read it again. Nothing was changed.`,
      );
    const edit = replaced(decoded.text, old_string, new_string, replace_all);
    if (edit.kind === 'refused') throw new Error(`${edit.why} Nothing was changed in ${file.path}.`);
    await workspace.write(path, edit.text);
    const after = await workspace.stat(path);
    if (after) await seen.note(after.path, after.hash);
    const places = edit.places === 1 ? 'one place' : `${edit.places} places`;
    return `Edited ${file.path} in ${places}.\n${await diffOf(file.path, decoded.text, edit.text)}`;
  },
});

async function diffOf(path: string, before: string, after: string): Promise<string> {
  const { createTwoFilesPatch } = await import('diff');
  const patch = createTwoFilesPatch(path, path, before, after, '', '', { context: 3, timeout: DIFF_MS });
  return patch
    ? cutTo(patch.replace(/^Index: .*\n=+\n/, '').trimEnd(), MAX_DIFF)
    : '[The diff would be too long.]';
}
