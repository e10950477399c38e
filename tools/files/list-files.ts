import * as z from 'zod';
import type { FileEntry } from '../../shared/agent/define/index.ts';
import { defineTool } from '../../shared/agent/define/tool.ts';
import { argumentsOf, flag } from '../plain/arguments.ts';
import { sizeOf } from '../plain/kinds.ts';
import { missing } from './missing.ts';

/** Most lines of one listing. */
const MAX_LISTED = 1_000;

/** Lists the files and folders of the workspace. */
export const listFiles = defineTool({
  name: 'list_files',
  description:
    'List the files and folders in a folder of the workspace (the whole workspace when no path is given), or with recursive all files below it.',
  effect: 'read',
  cacheable: true,
  input: argumentsOf(
    { path: z.string().optional(), recursive: flag().optional() },
    { path: ['directory', 'dir', 'folder', 'dir_path', 'file_path', 'target_directory'], recursive: ['all'] },
  ),
  touches: ({ path = '' }) => [path],
  async run({ path = '', recursive = false }, { services: { workspace } }) {
    const folder = path === '.' || path === './' ? '' : path;
    const files = await workspace.list(folder || undefined);
    if (files.length > 0) return folderText(folder, files, recursive);
    const file = folder ? await workspace.stat(folder) : undefined;
    if (file) return lineOf(file);
    if (folder && !isRoot(folder)) throw await missing(folder, workspace);
    return '[The workspace is empty.]';
  },
});

/** The contents of a folder, as text: its folders with the number of their files, and its files with their sizes. */
export function folderText(folder: string, files: readonly FileEntry[], recursive: boolean): string {
  const lines = recursive ? files.map(lineOf) : entriesOf(prefixOf(folder, files), files);
  const cut = lines.length > MAX_LISTED ? `\n[${lines.length - MAX_LISTED} more; list a folder of it]` : '';
  return lines.slice(0, MAX_LISTED).join('\n') + cut;
}

function entriesOf(prefix: string, files: readonly FileEntry[]): string[] {
  const folders = new Map<string, number>();
  const here: string[] = [];
  for (const file of files) {
    const [name, ...rest] = file.path.slice(prefix.length).split('/');
    if (rest.length === 0) here.push(lineOf(file));
    else folders.set(`${prefix}${name}/`, (folders.get(`${prefix}${name}/`) ?? 0) + 1);
  }
  const counted = [...folders].map(([name, count]) => `${name} (${count} ${count === 1 ? 'file' : 'files'})`);
  return [...counted, ...here];
}

/** The folder as a prefix of its files' paths, however it was written: `/workspace/src`, `./src/`, `src`. */
function prefixOf(folder: string, files: readonly FileEntry[]): string {
  const asked = folder.split('/').filter((part) => part !== '' && part !== '.');
  const paths = files.map(({ path }) => path);
  for (let i = 0; i < asked.length; i++) {
    const prefix = `${asked.slice(i).join('/')}/`;
    if (paths.every((path) => path.startsWith(prefix))) return prefix;
  }
  return '';
}

const isRoot = (folder: string): boolean => /^\/?(?:workspace)?\/*$/.test(folder);

const lineOf = ({ path, bytes }: FileEntry): string => `${path} (${sizeOf(bytes)})`;
