import type { State } from '../../../../shared/contract/session.ts';
import { stateWords, toneOf } from './words.ts';

/** A state, in words and colour. */
export const StateBadge = ({ state }: { readonly state: State }) => (
  <span className={`badge ${toneOf(state)}`}>{stateWords[state]}</span>
);
