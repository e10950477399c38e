import type { HttpClient } from '../../web/client/index.ts';

/** The served agents and their options. */
export interface Served {
  readonly client: Pick<
    HttpClient,
    'createSession' | 'addMessage' | 'session' | 'messages' | 'events' | 'cancel' | 'wait' | 'decide'
  >;
  /** Names of agents; each becomes a tool. */
  readonly agents: readonly string[];
  /** Version of this package. */
  readonly version: string;
  /** Longest time of a call in ms. After it, the call returns although its run continues. */
  readonly waitMs: number;
}
