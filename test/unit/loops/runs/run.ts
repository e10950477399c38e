import type { ToolSpec } from '../../../../shared/agent/tools/tool.ts';

/** A call that a model makes, and its result. */
export type Call = readonly [tool: string, input: Readonly<Record<string, unknown>>, result: unknown];
/** One reply with all of its calls. */
export type Step = readonly Call[];
/** The declarations of a tool besides its name. */
export type Declared =
  | ToolSpec['effect']
  | Pick<ToolSpec, 'effect' | 'evidence' | 'poll' | 'repeats' | 'acknowledges'>;
export type Tools = Readonly<Record<string, Declared>>;

/** A run as data: the model's calls, step by step, and the answers of its tools. */
export interface Run {
  readonly name: string;
  readonly tools: Tools;
  readonly steps: readonly Step[];
}

/** A result that is thrown. */
export class Failed {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}
export const failed = (message: string): Failed => new Failed(message);

/** One call a step. */
export const one = (...call: Call): Step => [call];
/** `n` items, counted from 0. */
export const each = <T>(n: number, make: (i: number) => T): T[] =>
  Array.from({ length: n }, (_, i) => make(i));
/** The same, where each makes several steps. */
export const rounds = (n: number, make: (i: number) => readonly Step[]): Step[] => each(n, make).flat();
