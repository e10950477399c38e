/** Mutants of what lists show. */

import { type Mutant, mutant } from './mutant.ts';

const commit = 'shared/agent/step/end/commit.ts';

export const listingMutants: readonly Mutant[] = [
  mutant(
    'list: an end is not told',
    commit,
    'hasMoved(view.session, session) && list(session, view.fence.epoch, now, io),',
    '',
  ),
  mutant(
    'list: who died before telling is not mended',
    commit,
    'await list(claim.view.session, claim.view.fence.epoch, io.clock.now(), io);',
    '',
  ),
  mutant(
    'list: what is given back is not told',
    commit,
    "request.next.kind !== 'run' && list(request.session, epoch, now, io),",
    '',
  ),
  mutant(
    'list: what comes late stands',
    'shared/memory/listings.ts',
    '!known || known.standing.order < standing.order',
    'true',
  ),
];
