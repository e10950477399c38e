/** Mutants of lists. */

import { type Mutant, mutant } from './mutant.ts';

const commit = 'shared/agent/step/end/commit.ts';

export const listingMutants: readonly Mutant[] = [
  mutant(
    'list: an end is not announced',
    commit,
    'hasMoved(view.session, session) && list(session, view.fence.epoch, now, io),',
    '',
  ),
  mutant(
    'list: an owner that died before announcing is not repaired',
    commit,
    'await list(claim.view.session, claim.view.fence.epoch, io.clock.now(), io);',
    '',
  ),
  mutant(
    'list: a session that is given back is not announced',
    commit,
    "request.next.kind !== 'run' && list(request.session, epoch, now, io),",
    '',
  ),
  mutant(
    'list: a late entry stands',
    'shared/memory/listings.ts',
    '!known || known.standing.order < standing.order',
    'true',
  ),
];
