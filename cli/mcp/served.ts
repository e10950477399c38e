import type { HttpClient } from '../../web/client/index.ts';

/** Whose agents are served, and how. */
export interface Served {
  readonly client: Pick<
    HttpClient,
    'createSession' | 'addMessage' | 'session' | 'messages' | 'events' | 'cancel' | 'wait' | 'decide'
  >;
  /** Names of agents, of which each becomes a tool. */
  readonly agents: readonly string[];
  /** Of this package. */
  readonly version: string;
  /** Ms that a call takes at most before it answers that its run goes on. */
  readonly waitMs: number;
}
