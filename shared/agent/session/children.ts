import type { Totals } from '../../contract/session.ts';
import { addTotals } from './cost.ts';
import type { ParentCall } from './parent.ts';
import type { Session } from './session.ts';
import type { ToolResult } from './slots.ts';

/** The call that a session works for, if its run has ended: this call has its answer. */
export const answersTo = ({ parent, run }: Pick<Session, 'parent' | 'run'>): ParentCall | undefined =>
  run?.ended ? parent : undefined;

/** The use that the children of a batch have reported. */
export const usedByChildren = (results: readonly ToolResult[]): Totals | undefined =>
  results
    .flatMap(({ child }) => child?.used ?? [])
    .reduce<Totals | undefined>((sum, used) => (sum ? addTotals(sum, used) : used), undefined);
