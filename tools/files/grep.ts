import { setImmediate as turn } from 'node:timers/promises';
import * as z from 'zod';
import type { FileEntry, Workspace } from '../../shared/agent/define/index.ts';
import { defineTool } from '../../shared/agent/define/tool.ts';
import { argumentsOf, flag, wholeNumber } from '../plain/arguments.ts';
import { globToRe2 } from '../plain/glob-pattern.ts';
import { linear, type Matches } from '../plain/linear.ts';
import { cutTo, decode, linesOf } from '../plain/text.ts';
import { missing } from './missing.ts';

/** Most matching lines in one answer. */
const MAX_FOUND = 200;
/** Most characters of one line: a minified file has one. */
const MAX_LINE = 300;
/** Most bytes of a file that is searched, and of all of them. */
const MAX_FILE = 1_000_000;
const MAX_SEARCHED = 20_000_000;
/** Files that are read at the same time. */
const AT_ONCE = 16;

/** Searches the files of the workspace, line by line. */
export const grepFiles = defineTool({
  name: 'grep',
  description:
    'Search the text files of the workspace for a regular expression (RE2: no lookarounds, no backreferences), line by line. path is a file or a folder; glob narrows it to some files ("*.ts"); context shows lines around each; files_only lists the files.',
  effect: 'read',
  cacheable: true,
  input: argumentsOf(
    {
      pattern: z.string().min(1),
      path: z.string().optional(),
      glob: z.string().optional(),
      ignore_case: flag().optional(),
      context: wholeNumber(0, 10).optional(),
      files_only: flag().optional(),
    },
    {
      pattern: ['query', 'regex', 'search', 'regexp'],
      path: ['directory', 'dir', 'folder', 'file_path', 'file'],
      glob: ['include', 'file_pattern', 'include_pattern'],
      ignore_case: ['-i', 'ignoreCase', 'case_insensitive', 'caseInsensitive'],
      context: ['-C', 'context_lines'],
      files_only: ['-l', 'files_with_matches', 'filesOnly'],
    },
  ),
  touches: ({ path = '' }) => [path],
  async run({ pattern, path, glob, ignore_case, context = 0, files_only }, { services, signal }) {
    const { workspace } = services;
    const matches = await linear(pattern, { ignoreCase: ignore_case ?? false });
    const wanted = glob === undefined ? () => true : await linear(globToRe2(glob));
    const files = (await filesIn(path, workspace)).filter((file) => wanted(file.path));
    const found = await search(files, matches, {
      workspace,
      signal,
      context,
      filesOnly: files_only ?? false,
    });
    if (found.lines.length === 0)
      return [`Nothing matches in ${files.length} files.`, ...found.notes].join('\n');
    return [...found.lines, ...found.notes].join('\n');
  },
});

async function filesIn(path: string | undefined, workspace: Workspace): Promise<readonly FileEntry[]> {
  const files = await workspace.list(path);
  if (files.length > 0 || path === undefined) return files;
  const file = await workspace.stat(path);
  if (!file) throw await missing(path, workspace);
  return [file];
}

interface How {
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
  readonly context: number;
  readonly filesOnly: boolean;
}

async function search(files: readonly FileEntry[], matches: Matches, how: How) {
  const lines: string[] = [];
  const skipped: string[] = [];
  let searched = 0;
  let matched = 0;
  const small = files.filter((file) => {
    if (file.bytes <= MAX_FILE) return true;
    skipped.push(file.path);
    return false;
  });
  for (let at = 0; at < small.length && matched < MAX_FOUND && searched < MAX_SEARCHED; at += AT_ONCE) {
    const batch = small.slice(at, at + AT_ONCE);
    const contents = await Promise.all(batch.map((file) => how.workspace.read(file.path)));
    for (const [i, bytes] of contents.entries()) {
      // Lets timers and lease renewals run between two files.
      await turn();
      how.signal.throwIfAborted();
      searched += bytes.length;
      const path = batch[i]?.path ?? '';
      const decoded = decode(bytes);
      if (decoded.kind === 'binary' || matched >= MAX_FOUND) continue;
      matched += add(path, linesOf(decoded.text), matches, how, MAX_FOUND - matched, lines);
    }
  }
  const notes = [
    ...(matched >= MAX_FOUND
      ? [`[Only the first ${MAX_FOUND} are shown: narrow it with path, glob or the pattern.]`]
      : []),
    ...(searched >= MAX_SEARCHED
      ? [`[Stopped after ${MAX_SEARCHED / 1_000_000} MB: narrow it with path or glob.]`]
      : []),
    ...(skipped.length > 0
      ? [`[Not searched, above 1 MB: ${skipped.slice(0, 5).join(', ')}${skipped.length > 5 ? ', …' : ''}]`]
      : []),
  ];
  return { lines, notes };
}

/** Adds a file's matches to the answer, and returns how many lines match. */
function add(
  path: string,
  lines: readonly string[],
  matches: Matches,
  how: How,
  most: number,
  answer: string[],
): number {
  const found: number[] = [];
  for (const [i, line] of lines.entries()) {
    // A Windows line ending is not part of the line: `;$` finds a semicolon before it.
    if (!matches(line.replace(/\r$/, ''))) continue;
    found.push(i);
    if (how.filesOnly || found.length >= most) break;
  }
  if (found.length === 0) return 0;
  if (how.filesOnly) {
    answer.push(path);
    return 1;
  }
  const hits = new Set(found);
  let last = -1;
  for (const hit of found) {
    const from = Math.max(last + 1, hit - how.context);
    if (how.context > 0 && answer.length > 0 && from > last + 1) answer.push('--');
    for (let i = from; i <= Math.min(lines.length - 1, hit + how.context); i++) {
      const mark = hits.has(i) ? ':' : '-';
      answer.push(`${path}${mark}${i + 1}${mark}${cutTo((lines[i] ?? '').trimEnd(), MAX_LINE)}`);
      last = i;
    }
  }
  return found.length;
}
