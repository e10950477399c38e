import { count } from '../parts/words.ts';
import type { BulkAction } from './bulk.ts';

interface ActionWords {
  readonly name: string;
  readonly effect: string;
  /** Why an action does not apply to a session. */
  readonly unfit: string;
  /** The outcome, after a number of sessions. */
  readonly done: string;
}

/** Bulk actions, for people. */
export const actionWords: Readonly<Record<BulkAction, ActionWords>> = {
  retry: {
    name: 'Retry',
    effect: 'A new run continues where the last one ended. It uses the model, and may call tools.',
    unfit: 'their last run did not end early',
    done: 'retried',
  },
  stop: {
    name: 'Stop',
    effect: 'The current run ends. Questions to people are withdrawn, and calls in progress are cancelled.',
    unfit: 'no run is in progress',
    done: 'stopped',
  },
  delete: {
    name: 'Delete',
    effect:
      'Messages, files, steps and costs are deleted permanently. Effects elsewhere, and what agents remember, stay.',
    unfit: 'their run is in progress or waits',
    done: 'deleted',
  },
};

/** “1 session”, “2 sessions”. */
export const sessionCount = (n: number): string => `${count(n)} ${n === 1 ? 'session' : 'sessions'}`;
