import type { ModelOption } from '../config/model.ts';

/** The facts with which a session begins: those of its first message. */
export interface SessionFacts {
  readonly tenant: string;
  /** Epoch ms at which the message arrived. */
  readonly at: number;
  /** IANA name of the sender's time zone, or else the agent's `context.zone`. */
  readonly zone: string;
  readonly source: 'http' | 'agui' | 'chat' | 'slack' | 'channel' | 'webhook' | 'schedule';
  /** Subject of the sender (docs/identity.md); absent if it is not known. */
  readonly user?: string;
  readonly name?: string;
  /** Roles of the sender's JWT; empty for all other senders. */
  readonly roles: readonly string[];
  /** Metadata of the session, as set by `POST /sessions`. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** The parts of an agent that are functions of a session's first facts. */
export interface FromFacts {
  readonly system?: (facts: SessionFacts) => string;
  readonly model?: (facts: SessionFacts) => ModelOption;
}
