/** How a session works: `act` makes changes as its model asks for them, `plan` proposes them first (docs/plan-mode.md). */
export const modes = ['act', 'plan'] as const;
export type Mode = (typeof modes)[number];

/** Changes that a session has proposed, and that people have not been asked about yet. */
export interface Proposed {
  /** Hash of the tree of the workspace as it would be with all of them; absent while that tree has no file. */
  readonly tree?: string;
  /** File changes among them. */
  readonly files: number;
  /** In order. The number of a change is its position, from 1. */
  readonly changes: readonly ProposedCall[];
}

/** Where a proposed change is stored: its call in the reply of slot `slot`, its result in the next slot. */
export interface ProposedCall {
  readonly slot: number;
  readonly callId: string;
}

/** Whether changes are proposed instead of made. A session stays in plan mode until its proposals are decided on. */
export const isPlanning = ({
  mode,
  proposed,
}: {
  readonly mode?: Mode;
  readonly proposed?: Proposed;
}): boolean => mode === 'plan' || proposed !== undefined;

/** Hash of the tree that calls work on: the files as they would be with all proposed changes. */
export const treeAtWork = ({
  workspace,
  proposed,
}: {
  readonly workspace?: string;
  readonly proposed?: Proposed;
}): string | undefined => (proposed ? proposed.tree : workspace);
