import { texts } from '../texts.ts';
import { readWorkspaces } from '../workspace/open.ts';
import { filesOf, tellFiles } from './batch-files.ts';
import type { Step } from './opened.ts';
import type { Admitted } from './preflight.ts';
import { drain, internal, type Turn } from './turn.ts';

/**
 * As {@link drain}, with the files that came with messages in the workspace: the model is asked after that, and its slot names
 * the tree. Of those that find no room the model is told why.
 */
export async function drainWithFiles(step: Step, admitted: Admitted): Promise<Turn> {
  const turn = drain(step, admitted);
  const sent = turn.input.flatMap(({ attachments = [] }) => attachments.filter(({ as }) => as === 'file'));
  // Of an adopted reply they are in the tree that its slot names.
  if (sent.length === 0 || step.adopted.model) return turn;
  const { takeIn, warm } = await readWorkspaces();
  const { tree, changes, refused } = await takeIn(filesOf(step, turn.session.workspace, warm), sent);
  tellFiles(step, step.session.version, changes);
  return {
    ...turn,
    session: tree ? { ...turn.session, workspace: tree } : turn.session,
    input: refused.length > 0 ? [...turn.input, internal('files', texts.filesRefused(refused))] : turn.input,
  };
}
