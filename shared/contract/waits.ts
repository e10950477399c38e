/** Kinds of waits of a run. Clients read what they are at `kind` of `WaitInfo`. */
export const waitKinds = [
  'approval',
  'question',
  'call',
  'callback',
  'page',
  'child',
  'timer',
  'plan',
] as const;
export type WaitKind = (typeof waitKinds)[number];

/** Whether a person says yes or no: to a call, or to the changes of a plan. */
export const isApproval = (kind: string): boolean => kind === 'approval' || kind === 'plan';

/** Whether people decide it. The other waits settle by themselves. */
export const isForPeople = (kind: string): boolean => isApproval(kind) || kind === 'question';
