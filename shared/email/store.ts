import type { SessionKey } from '../contract/session.ts';

/** A mail of a session, as far as later mails of its thread need it. */
export interface KeptMail {
  /** Its `Message-ID`, with brackets; empty if it had none. */
  readonly id: string;
  /** Epoch ms at which it was received. */
  readonly at: number;
  readonly from: string;
  /** Everyone in `From`, `To` and `Cc`, in lower case. */
  readonly people: readonly string[];
  readonly subject: string;
  /** Ids of its thread, the oldest first. */
  readonly references: readonly string[];
  /** The address of ours to which it came. */
  readonly mailbox: string;
}

/** An address of ours and its tenant: ids of mails are known to no other. */
export interface MailboxOf {
  readonly tenant: string;
  readonly mailbox: string;
}

/** The threads of mails. */
export interface MailStore {
  /** The session of the first of these ids that is known. */
  find(of: MailboxOf, ids: readonly string[]): Promise<string | undefined>;
  /** Notes that a mail belongs to a session. Idempotent: the first session stays. */
  note(of: MailboxOf, id: string, sessionId: string): Promise<void>;
  /** Keeps a mail with its session, with which it is deleted. Idempotent. */
  keep(key: SessionKey, mail: KeptMail): Promise<void>;
  /** The mails of a session, the oldest first: at most the last 200. */
  mails(key: SessionKey): Promise<KeptMail[]>;
}

/** Mails of a session that are read. */
export const MOST_MAILS = 200;
