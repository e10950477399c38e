import type { ToolSpec } from '../../../../shared/agent/tools/tool.ts';

/** A call that a model makes, and what comes of it. */
export type Call = readonly [tool: string, input: Readonly<Record<string, unknown>>, result: unknown];
/** One reply: all calls of it. */
export type Step = readonly Call[];
/** What a tool declares beside its name. */
export type Declared = ToolSpec['effect'] | Pick<ToolSpec, 'effect' | 'evidence' | 'poll'>;
export type Tools = Readonly<Record<string, Declared>>;

/** A run as data: what the model asks for, step by step, and what its tools answer. */
export interface Run {
  readonly name: string;
  readonly tools: Tools;
  readonly steps: readonly Step[];
}

/** A result that is a throw. */
export class Failed {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}
export const failed = (message: string): Failed => new Failed(message);

/** One call a step. */
export const one = (...call: Call): Step => [call];
/** `n` of something, counted from 0. */
export const each = <T>(n: number, make: (i: number) => T): T[] =>
  Array.from({ length: n }, (_, i) => make(i));
/** The same, where each makes several steps. */
export const rounds = (n: number, make: (i: number) => readonly Step[]): Step[] => each(n, make).flat();
