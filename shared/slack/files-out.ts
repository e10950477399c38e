/** The files of a run that are neither in the thread nor given up. Pure; `share.ts` shares one. */

import type { FileMark, Move, Thread } from './remembered.ts';
import type { Story } from './story.ts';

/** Most files of a run. */
const MOST = 20;
/** Errors that all files of a run would meet: scopes and settings of the workspace (docs.slack.dev, files.getUploadURLExternal). */
const FOR_ALL: ReadonlySet<string> = new Set([
  'missing_scope',
  'not_allowed_token_type',
  'file_uploads_disabled',
]);

type Sharing = Extract<Move, { kind: 'share' }>;

/** The first file of the run that is neither in the thread nor given up. */
export function nextFile({ files }: Story, { files: marks = [] }: Thread): Sharing | undefined {
  const markOf = (key: string) => marks.find((mark) => mark.key === key);
  const left = files.findIndex(({ key }) => !isSettled(markOf(key)));
  const file = files[left];
  if (!file) return undefined;
  const known = files.map(({ key }) => markOf(key)?.unsent).find((error) => error && FOR_ALL.has(error));
  const refused = known ?? (left >= MOST ? 'too_many_files' : undefined);
  return { kind: 'share', file, ...(refused && { refused }) };
}

const isSettled = (mark: FileMark | undefined): boolean => mark?.done === true || mark?.unsent !== undefined;

/** Files of the run that could not be shown, and Slack's error for the first of them. */
export function missingFiles(
  { files }: Story,
  { files: marks = [] }: Thread,
): { readonly count: number; readonly error: string } | undefined {
  const lost = files.flatMap(({ key }) => marks.find((mark) => mark.key === key)?.unsent ?? []);
  return lost[0] === undefined ? undefined : { count: lost.length, error: lost[0] };
}
