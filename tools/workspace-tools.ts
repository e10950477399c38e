import type { Tool } from '../shared/agent/define/index.ts';
import { editFile } from './files/edit-file.ts';
import { globFiles } from './files/glob.ts';
import { grepFiles } from './files/grep.ts';
import { listFiles } from './files/list-files.ts';
import { readFile } from './files/read-file.ts';
import { viewImage } from './files/view-image.ts';
import { writeFile } from './files/write-file.ts';

/** Which of the tools to include. */
export interface WorkspaceToolsOptions {
  /** Whether files may only be read: without `edit_file` and `write_file`. Default: false. */
  readonly readOnly?: boolean;
}

/**
 * The tools to work on the files of a session: `read_file`, `list_files`, `glob`, `grep`, `view_image`, and `edit_file`
 * and `write_file` to change them. A shell is separate: `steploop/bash`.
 */
export const workspaceTools = ({ readOnly = false }: WorkspaceToolsOptions = {}): readonly Tool[] => [
  readFile,
  listFiles,
  globFiles,
  grepFiles,
  viewImage,
  ...(readOnly ? [] : [editFile, writeFile]),
];
