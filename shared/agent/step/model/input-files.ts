import { defined } from '../../plain/defined.ts';
import { texts } from '../../texts.ts';
import { readWorkspaces } from '../../workspace/open.ts';
import type { Step } from '../open/step-context.ts';
import { filesOf, tellFiles } from '../open/workspace-files.ts';
import type { Admitted } from './preflight.ts';
import { internal } from './told.ts';
import { drain, type Turn } from './turn.ts';

/**
 * As {@link drain}, and puts the files that came with messages into the workspace before the model is asked; its slot names the
 * tree. If a file finds no room, the model is told why.
 */
export async function drainWithFiles(step: Step, admitted: Admitted): Promise<Turn> {
  const turn = drain(step, admitted);
  const sent = turn.input.flatMap(({ attachments = [] }) => attachments.filter(({ as }) => as === 'file'));
  const { workspace, proposed } = turn.session;
  // If the reply was recovered, they are in the tree that its slot names.
  if (sent.length === 0 || (step.recovered.model && !proposed)) return turn;
  const { takeIn, warm } = await readWorkspaces();
  const into = (tree: string | undefined) => takeIn(filesOf(step, tree, warm), sent);
  // They also go into the tree of the proposed changes.
  const draft = proposed && (await into(proposed.tree)).tree;
  const drafted = proposed && { proposed: { ...proposed, ...defined({ tree: draft }) } };
  if (step.recovered.model) return { ...turn, session: { ...turn.session, ...drafted } };
  const { tree, changes, refused } = await into(workspace);
  tellFiles(step, step.session.version, changes);
  return {
    ...turn,
    session: { ...turn.session, ...defined({ workspace: tree }), ...drafted },
    input: refused.length > 0 ? [...turn.input, internal('files', texts.filesRefused(refused))] : turn.input,
  };
}
