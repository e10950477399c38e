import * as z from 'zod';
import { defineTool } from '../../shared/agent/define/tool.ts';
import { argumentsOf, pathAliases, wholeNumber } from '../plain/arguments.ts';
import { seenIn } from '../plain/seen.ts';
import { cutTo, decode, linesOf } from '../plain/text.ts';
import { folderText } from './list-files.ts';
import { missing } from './missing.ts';

/** Lines that one call shows, unless it asks for fewer. */
const MAX_LINES = 2_000;
/** Most characters of one line. */
const MAX_LINE = 2_000;
/** Most characters of one call: below `limits.maxToolOutputChars`, so that the result says where to continue. */
const MAX_CHARS = 40_000;

/** Reads a file of the workspace, whole or a range of lines. */
export const readFile = defineTool({
  name: 'read_file',
  description:
    'Read a text file of the workspace, exactly as it is, without line numbers, and the first 2,000 lines of a long file; offset (the first line, from 1) and limit (how many lines) read another part. A folder is listed.',
  effect: 'read',
  cacheable: true,
  input: argumentsOf(
    {
      path: z.string().min(1),
      offset: wholeNumber(0, 10_000_000).optional(),
      limit: wholeNumber(1, MAX_LINES).optional(),
    },
    {
      path: pathAliases,
      offset: ['start_line', 'line', 'start'],
      limit: ['max_lines', 'lines', 'num_lines'],
    },
  ),
  touches: ({ path }) => [path],
  async run({ path, offset = 1, limit = MAX_LINES }, { services: { workspace, blobs } }) {
    const file = await workspace.stat(path);
    if (!file) {
      const inside = await workspace.list(path);
      if (inside.length === 0) throw await missing(path, workspace);
      return folderText(path, inside, false);
    }
    const decoded = decode(await workspace.read(path));
    if (decoded.kind === 'binary') {
      const image = decoded.what.includes('image/') ? ' view_image shows it.' : '';
      return `[${file.path} is ${decoded.what}, so it is not shown as text.${image}]`;
    }
    await seenIn(blobs).note(file.path, file.hash);
    return part(file.path, decoded.text, Math.max(1, offset), limit);
  },
});

function part(path: string, text: string, offset: number, limit: number): string {
  if (text === '') return `[${path} is empty.]`;
  const lines = linesOf(text);
  if (offset > lines.length)
    throw new Error(`${path} has ${lines.length} lines: there is no line ${offset}.`);
  const shown: string[] = [];
  let chars = 0;
  for (const line of lines.slice(offset - 1, offset - 1 + limit)) {
    const cut = cutTo(line.endsWith('\r') ? line.slice(0, -1) : line, MAX_LINE);
    if (shown.length > 0 && chars + cut.length > MAX_CHARS) break;
    shown.push(cut);
    chars += cut.length + 1;
  }
  const last = offset - 1 + shown.length;
  const notes = [
    ...(offset > 1 || last < lines.length ? [`lines ${offset} to ${last} of ${lines.length}`] : []),
    ...(last < lines.length ? [`go on with offset ${last + 1}`] : []),
    ...(last === lines.length && !text.endsWith('\n') ? ['no line break at the end'] : []),
    ...(text.includes('\r\n') ? ['lines end with CRLF'] : []),
  ];
  const said = notes.length > 0 ? `\n[${path}: ${notes.join('; ')}]` : '';
  return shown.join('\n') + said;
}
