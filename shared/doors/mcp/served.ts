import type { Api } from '../api.ts';

/** The served agents and their options. */
export interface Served {
  readonly client: Api;
  /** Names of agents; each becomes a tool. */
  readonly agents: readonly string[];
  /** Version of this package. */
  readonly version: string;
  /** Longest time of a call in ms. After it, the call returns although its run continues. */
  readonly waitMs: number;
}
