import * as z from 'zod';
import { DEFAULT_TENANT } from '../../contract/identity.ts';
import { Tenant } from '../../contract/session.ts';
import { explainInLines } from '../plain/explain.ts';
import { CapitalName } from './names.ts';
import type { WakeupFile, WebhookEvent } from './webhook.ts';
import { Verification } from './webhook-verify.ts';

/** Channels: places outside of Steploop where people talk to agents, and where agents answer them (docs/channels.md). */

/** A person's message, as a channel reads it from a verified delivery. */
export interface ChannelMessage {
  /** The agent that answers, by name. A thread keeps the agent it began with. */
  readonly agent: string;
  /** The tenant; the channel's own when absent. Never take it from something that the sender chooses. */
  readonly tenant?: string;
  /** Equal threads lead to the same session of the tenant. */
  readonly thread: string;
  /** The person, by an id that the delivery's sender vouches for: their subject is `channel:<channel>:<id>`. */
  readonly from: { readonly id: string; readonly name?: string };
  /** Cut above 100,000 characters, with a mark. */
  readonly text: string;
  /** At most ten. The message names those that cannot be used, and is sent all the same. */
  readonly files?: readonly WakeupFile[];
  /**
   * The data that the channel needs to answer in this thread, as JSON. Stored with the session's first message; never a secret.
   */
  readonly place?: unknown;
  /** IANA name of the person's time zone. */
  readonly zone?: string;
}

/** Where something is said: a session's thread. */
export interface ChannelThread {
  readonly tenant: string;
  readonly sessionId: string;
  readonly thread: string;
  /** `place` of the first message. */
  readonly place: unknown;
  /** The person who began the thread. */
  readonly from: string;
}

/** A file that an agent gives to people with the tool `send_files`. */
export interface ChannelFile {
  /** Safe to be shown: without a path. */
  readonly name: string;
  /** Its size: at most 20,000,000. */
  readonly bytes: number;
  /** Reads its content; undefined if it is gone. */
  readonly read: () => Promise<Uint8Array | undefined>;
}

/** The end of a run. */
export interface ChannelAnswer {
  /** Unique, and the same at each try: use it to say a thing once. */
  readonly id: string;
  /** The agent's last message, in Markdown; empty if there is none. */
  readonly text: string;
  /** `completed`, `failed`, `cancelled` or another state of a session (docs/answers.md). */
  readonly state: string;
  readonly reason: string;
  /** Finds the files that the run has given, in that order: at most 20. It reads the run once more. */
  readonly files: () => Promise<readonly ChannelFile[]>;
}

/** A wait of a run for people. */
export interface ChannelAsk {
  /** Unique, and the same at each try. */
  readonly id: string;
  /** `approval`, `plan` or `question`. */
  readonly reason: string;
  /** The question: plain text, in lines. */
  readonly question: string;
  /** The agent's words before it asked, in Markdown; empty if there are none. */
  readonly text: string;
  /** A page that shows the question again and decides it, for the person who began the thread. A holder of the link decides as that person. */
  readonly link: string;
  /** ISO 8601; from then on it counts as denied or unanswered. */
  readonly expiresAt?: string;
}

/** The means of a channel's functions besides `fetch`. */
export interface ChannelTools {
  /** A secret that the channel lists in `secrets`, by name. */
  readonly secret: (name: string) => Promise<string>;
  /** A setting of the definition, by name. */
  readonly setting: (name: string) => string;
  /** Aborts before the try's time is over. */
  readonly signal: AbortSignal;
}

/** The argument of `defineChannel`. */
export interface ChannelDeclaration {
  /** How deliveries to `POST /channels/{name}` are verified, as for a webhook (docs/webhooks.md). */
  readonly verify: z.input<typeof Verification>;
  /** `default` when absent. */
  readonly tenant?: string;
  /** Secrets of the definition that `ask`, `answer` and `progress` read. */
  readonly secrets?: readonly string[];
  /** Reads a delivery; undefined ignores it. Pure. */
  readonly read: (event: WebhookEvent) => ChannelMessage | undefined;
  /** Says that a run has begun. Tried once; a rejection is ignored. */
  readonly progress?: (thread: ChannelThread, tools: ChannelTools) => Promise<void>;
  /** Asks. A rejection is retried after pauses for about three days, so it may be asked twice. */
  readonly ask: (asked: ChannelAsk, thread: ChannelThread, tools: ChannelTools) => Promise<void>;
  /** Answers, with the same retries. */
  readonly answer: (answer: ChannelAnswer, thread: ChannelThread, tools: ChannelTools) => Promise<void>;
}

/** A channel, checked. */
export interface ChannelDefinition
  extends Required<Omit<ChannelDeclaration, 'verify' | 'progress'>>,
    Pick<ChannelDeclaration, 'progress'> {
  readonly verify: Verification;
}

const isFunction = (value: unknown): boolean => typeof value === 'function';
const handler = z.custom(isFunction, 'must be a function');

const Declaration = z.strictObject({
  verify: Verification,
  tenant: Tenant.default(DEFAULT_TENANT),
  secrets: z.array(CapitalName).default([]),
  read: handler,
  progress: handler.optional(),
  ask: handler,
  answer: handler,
});

/** Declares a channel. Unknown keys are refused. Throws if it is not valid, and says why. */
export function defineChannel(declaration: ChannelDeclaration): ChannelDefinition {
  const parsed = Declaration.safeParse(declaration);
  if (!parsed.success) {
    const lines = explainInLines(parsed.error, Declaration);
    throw new Error(lines.map((line) => `channel, ${line}`).join('\n'));
  }
  const { verify, tenant, secrets } = parsed.data;
  return Object.freeze({ ...declaration, verify, tenant, secrets });
}
