/** How a session works: `act` makes changes as its model asks for them, `plan` proposes them first (docs/plan-mode.md). */
export const modes = ['act', 'plan'] as const;
export type Mode = (typeof modes)[number];

/** Changes that a session has proposed, of which nobody has been asked yet. */
export interface Proposed {
  /** Hash of the tree of the workspace as it would be with all of them; absent while that has no file. */
  readonly tree?: string;
  /** Changes of files among them. */
  readonly files: number;
  /** In their order. The number of a change is its place, from 1. */
  readonly changes: readonly ProposedCall[];
}

/** Where a proposed change stands: in the reply of the slot `slot`, its result in the slot after it. */
export interface ProposedCall {
  readonly slot: number;
  readonly callId: string;
}

/** Whether changes are proposed and not made. What is proposed keeps a session at it until it is decided on. */
export const isPlanning = ({
  mode,
  proposed,
}: {
  readonly mode?: Mode;
  readonly proposed?: Proposed;
}): boolean => mode === 'plan' || proposed !== undefined;

/** Hash of the tree that calls work on: of the files as they would be with all that is proposed. */
export const treeAtWork = ({
  workspace,
  proposed,
}: {
  readonly workspace?: string;
  readonly proposed?: Proposed;
}): string | undefined => (proposed ? proposed.tree : workspace);
