import * as z from 'zod';
import { defineTool } from '../../shared/agent/define/tool.ts';
import { argumentsOf, pathAliases } from '../plain/arguments.ts';
import { sizeOf } from '../plain/kinds.ts';
import { seenIn } from '../plain/seen.ts';
import { linesOf } from '../plain/text.ts';

/** Creates a new file in the workspace. Never replaces one. */
export const writeFile = defineTool({
  name: 'write_file',
  description:
    'Make a new file in the workspace, with its folders. It does not replace a file that exists: change that with edit_file.',
  effect: 'idempotent',
  evidence: { changes: 'files', workspace: true },
  drafts: true,
  input: argumentsOf(
    { path: z.string().min(1), content: z.string() },
    { path: pathAliases, content: ['contents', 'text', 'file_text', 'data', 'body'] },
  ),
  touches: ({ path }) => [path],
  async run({ path, content }, { services: { workspace, blobs } }) {
    const there = await workspace.stat(path);
    if (there)
      throw new Error(
        `${there.path} exists already (${sizeOf(there.bytes)}), and write_file only makes new files. Nothing was written. Change it with edit_file, or choose another path.`,
      );
    await workspace.write(path, content);
    const file = await workspace.stat(path);
    if (!file) throw new Error(`${path} was written and is not there.`);
    await seenIn(blobs).note(file.path, file.hash);
    return `Made ${file.path}: ${linesOf(content).length} lines, ${sizeOf(file.bytes)}.`;
  },
});
