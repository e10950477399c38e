import type { Workspace } from '../../shared/agent/define/index.ts';
import { nearest } from '../../shared/agent/plain/nearest.ts';

/** Most characters of a name that is compared with others. */
const MAX_COMPARED = 60;

/** The error for a path where there is no file; it suggests a file that may be meant, if there is one. */
export async function missing(path: string, workspace: Workspace): Promise<Error> {
  const paths = (await workspace.list()).map((file) => file.path);
  const name = nameOf(path);
  const names = paths.map(nameOf).filter((other) => other.length <= MAX_COMPARED);
  const meant = names.includes(name)
    ? name
    : name.length <= MAX_COMPARED && nearest(name, [...new Set(names)]);
  const likely = paths.filter((other) => nameOf(other) === meant).slice(0, 3);
  const hint = likely.length > 0 ? `Do you mean ${likely.join(' or ')}?` : 'list_files shows what there is.';
  return new Error(
    `There is no file ${shown(path)} in the workspace${paths.length > 0 ? `. ${hint}` : ', which is empty.'}`,
  );
}

const nameOf = (path: string): string => path.split('/').at(-1) ?? path;

/** A path as shown to the model: an absurdly long one is cut. */
export const shown = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path);
