import type { Tool } from '../shared/agent/define/index.ts';
import { editFile } from './files/edit-file.ts';
import { globFiles } from './files/glob.ts';
import { grepFiles } from './files/grep.ts';
import { listFiles } from './files/list-files.ts';
import { readFile } from './files/read-file.ts';
import { viewImage } from './files/view-image.ts';
import { writeFile } from './files/write-file.ts';

/** Which of the tools there are. */
export interface WorkspaceToolsOptions {
  /** Whether files may only be looked at: without `edit_file` and `write_file`. Default: false. */
  readonly readOnly?: boolean;
}

/**
 * What an agent needs to work on the files of its session (H6): `read_file`, `list_files`, `glob`, `grep`, `view_image`, and to
 * change them `edit_file` and `write_file`. A shell is apart: `steploop/bash`.
 */
export const workspaceTools = ({ readOnly = false }: WorkspaceToolsOptions = {}): readonly Tool[] => [
  readFile,
  listFiles,
  globFiles,
  grepFiles,
  viewImage,
  ...(readOnly ? [] : [editFile, writeFile]),
];
