import { count } from '../parts/words.ts';
import type { More } from './use-sessions.ts';

interface PartialNoteProps {
  readonly shown: number;
  readonly loaded: number;
  readonly more: More;
  readonly onMore: () => void;
}

/** Says that sorting by a figure, or a filter of cost or duration, covers loaded sessions alone. */
export const PartialNote = ({ shown, loaded, more, onMore }: PartialNoteProps) => (
  <p className="row" role="status">
    {more === 'none'
      ? `${count(shown)} of ${count(loaded)} sessions; all are loaded.`
      : `${count(shown)} of the ${count(loaded)} most recently active sessions. Older sessions are not loaded yet, so they are not included.`}
    {more !== 'none' && (
      <button type="button" disabled={more === 'busy'} onClick={onMore}>
        {more === 'busy' ? 'Loading …' : 'Load 200 more'}
      </button>
    )}
  </p>
);
