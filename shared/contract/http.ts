import * as z from 'zod';
import { called } from './listing-queries.ts';
import { MAX_TEXT, MessageContent } from './message.ts';
import { AgentName, type LastEnding, SessionId } from './session.ts';

/** Largest request body in bytes: larger ones are refused with 413. API Gateway itself allows 10 MB. */
export const MAX_BODY_BYTES = 512 * 1024;

/**
 * Largest request over the WebSocket in bytes, which is API Gateway's largest frame. A message that comes in several frames and
 * is larger is refused with 413; a larger frame, or a message above 128 KB, closes the connection with 1009 before we see it.
 */
export const MAX_SOCKET_BYTES = 32 * 1024;

/**
 * Time zone of a message's sender, by its IANA name, such as `Pacific/Auckland`. The default is that of their JWT, or
 * the agent's.
 */
const zone = z
  .string()
  .max(64)
  .regex(/^[A-Za-z][A-Za-z0-9_+/-]*$/, 'must be the IANA name of a time zone, such as "Pacific/Auckland"')
  .optional();

/** `POST /sessions` */
export const CreateSession = z.strictObject({
  agent: AgentName,
  message: MessageContent,
  /** The URL to which the ends and waits of its runs are posted, signed (docs/webhooks.md). */
  callbackUrl: z.string().min(1).max(2048).optional(),
  /**
   * `plan`: the agent proposes changes, and makes them once people have approved them (docs/plan-mode.md); the agent's
   * setting when absent.
   */
  mode: z.enum(['act', 'plan']).optional(),
  zone,
  ...called,
});
export type CreateSession = z.infer<typeof CreateSession>;

/** `POST /sessions/{sessionId}/messages` */
export const AddMessage = z.strictObject({
  message: MessageContent,
  /** How the session works from this message on; as before when absent. */
  mode: z.enum(['act', 'plan']).optional(),
  zone,
});
export type AddMessage = z.infer<typeof AddMessage>;

/** Longest note of a decision in characters. */
export const MAX_NOTE = 2_000;

const decision = {
  /** The id of the wait: the `id` of an interrupt, and of `waits` in `GET /sessions/{sessionId}`. */
  id: z.string().min(1).max(256),
  /** For a plan also the numbers of the approved changes: the others are not made. */
  approved: z.union([z.boolean(), z.array(z.int().min(1).max(50)).max(50)]),
  /** The answer to a question, or what the model is told about a denial. */
  note: z.string().trim().max(MAX_NOTE).optional(),
  /** For an approval: what is allowed beyond this call (docs/leave.md). */
  grant: z
    .strictObject({
      /** Until the run ends, or for the whole session. */
      scope: z.enum(['run', 'session']),
      /**
       * `call`: for calls of this tool with exactly the same arguments. `tool`: for all of its calls that are no more
       * dangerous.
       */
      alike: z.enum(['call', 'tool']),
      /** For this many calls; 5 when neither this nor `seconds` is given. */
      uses: z.int().min(1).max(100).optional(),
      /** For this many seconds from now on, at most 30 days. */
      seconds: z
        .int()
        .min(1)
        .max(30 * 86_400)
        .optional(),
    })
    .optional(),
};

/** `POST /sessions/{sessionId}/decisions` */
export const DecisionBody = z.strictObject(decision);

/** Largest answer to a call that is answered later, in bytes: after JSON escaping it must fit into one item. */
export const MAX_ANSWER_BYTES = 256 * 1024;

/** `POST /callbacks/{token}`: the result of the call, any JSON, or why it failed. */
export const AnswerBody = z.union(
  [
    z.strictObject({ result: z.unknown().refine((value) => value !== undefined, 'is missing') }),
    z.strictObject({ error: z.string().trim().min(1, 'must not be empty').max(MAX_TEXT) }),
  ],
  { error: 'must be { "result": … } or { "error": "…" }, and nothing else' },
);

/** Characters of one progress report on a call. */
export const MAX_TOLD = 500;
/** Largest body of one, in bytes. */
export const MAX_PROGRESS_BYTES = 4 * 1024;

/**
 * `POST /callbacks/{token}/progress`: a progress report on the call, and which share of it is done, if that is known.
 */
export const ProgressBody = z.strictObject({
  message: z.string().trim().min(1, 'must not be empty').max(MAX_TOLD),
  share: z.number().min(0).max(1).optional(),
});

/** An agent that works in the background and has not reported. */
export interface BackgroundInfo {
  /** Its session. */
  readonly child: string;
  /** The tool with which it was asked, and its call. */
  readonly tool: string;
  readonly toolCallId: string;
  /** ISO 8601 time from which on it is stopped. */
  readonly expiresAt: string;
}

/** A wait of a run, as `GET /sessions/{sessionId}` lists it. */
export interface WaitInfo {
  readonly id: string;
  /** `approval`, `question` and `plan` are decided by people; a `call` runs from the tool queue, a `callback` is answered from outside, a `page` by the page that offers its tool, a `child` by another session, and a `timer` ends with its time. */
  readonly kind: 'approval' | 'question' | 'call' | 'callback' | 'page' | 'child' | 'timer' | 'plan';
  readonly tool: string;
  readonly toolCallId: string;
  /**
   * The request to a person: plain text, in lines, to be shown unchanged and not as Markdown. If it is shortened, its
   * first line says so.
   */
  readonly message: string;
  /** For a plan: the tool of each change, in order; numbers begin with 1. */
  readonly changes?: string[];
  /** For a child: its session. For anything else: the session below this one that waits for it. */
  readonly child?: string;
  /** ISO 8601; from then on it counts as denied, unanswered or lost. */
  readonly expiresAt: string;
}

/** `GET /sessions/{sessionId}/waits/{waitId}`: with the full input of the call. */
export interface WaitDetails extends WaitInfo {
  /** Like `message`, but never cut; absent when the tool refuses the arguments, or no longer exists. */
  readonly whole?: string;
  /** False if something cannot be shown at all, such as a function that a schema has made. */
  readonly isWhole?: boolean;
  /** The arguments as the model sent them. */
  readonly sent?: unknown;
  /** The tool still reads the arguments as it did when people were asked. If not, an approval has no effect. */
  readonly isAsAsked: boolean;
}

/** A permission that a person has granted for later calls, as `GET /sessions/{sessionId}` lists it while it holds. */
export interface GrantInfo {
  readonly id: string;
  readonly tool: string;
  /** It covers calls up to this level of danger. */
  readonly level: 'safe' | 'moderate' | 'dangerous' | 'critical';
  readonly scope: 'run' | 'session';
  /** For exactly the same arguments, or for any call of the tool. */
  readonly alike: 'call' | 'tool';
  /** Calls that it still covers; absent when only time ends it. */
  readonly usesLeft?: number;
  /** ISO 8601; absent when no time ends it. */
  readonly until?: string;
  /** The person who granted it, and when: ISO 8601. */
  readonly by: string;
  readonly at: string;
}

/** How the last run ended, as in `GET /sessions/{sessionId}`. */
export type EndingInfo = Omit<LastEnding, 'at'> & {
  /** ISO 8601. */
  readonly at: string;
  /** The object that it answered with (`RunResult.object`), until a step of another run is done. */
  readonly object?: unknown;
};

/** `GET /sessions/{sessionId}/events?after=&limit=`: a page ends sooner when it is large. */
export const EventsQuery = z.strictObject({
  /** Cursor: the seq of the last frame the client holds. */
  after: z.coerce.number().int().nonnegative().default(0),
  limit: z.coerce.number().int().min(1).max(1000).default(500),
});

/** A place in the transcript: a slot, and how many of its messages come before. */
export interface MessagesCursor {
  readonly slot: number;
  readonly skip: number;
}

/** A place as the value of `next`: `12`, or `12.3` in the middle of a large slot. */
export const writeCursor = ({ slot, skip }: MessagesCursor): string =>
  skip === 0 ? String(slot) : `${slot}.${skip}`;

const cursor = z
  .string()
  .regex(/^\d{1,10}(\.\d{1,6})?$/, 'must be the `next` of a page, or the number of a slot')
  .transform((text): MessagesCursor => {
    const [slot = 0, skip = 0] = text.split('.').map(Number);
    return { slot, skip };
  });

/** `GET /sessions/{sessionId}/messages?from=&limit=`: a page ends sooner when it is large. */
export const MessagesQuery = z.strictObject({
  /** Where to begin: `next` of the page before. */
  from: cursor.default({ slot: 0, skip: 0 }),
  /** Slots, not messages. */
  limit: z.coerce.number().int().min(1).max(500).default(200),
});

const slot = z.coerce.number().int().nonnegative();
/** Longer than any path of a workspace, in any spelling. */
const path = z.string().max(2_048);

/** `GET /sessions/{sessionId}/files?path=|under=&after=&limit=&slot=` */
export const FilesQuery = z.strictObject({
  /** The files after this turn of the conversation; the current files when absent. */
  slot: slot.optional(),
  /** One file, with a link to its content. */
  path: path.optional(),
  /** Files in this folder and below it. */
  under: path.optional(),
  /** `next` of the page before. */
  after: path.optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(1000),
});

/** `POST /sessions/{sessionId}/restore` */
export const RestoreBody = z.strictObject({
  /** The turn of the conversation after which the files had the state to restore. */
  slot: z.int().nonnegative(),
});

/** A file of a session, as in `GET /sessions/{sessionId}/files`. */
export interface FileInfo {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 of its content, in hex. */
  readonly hash: string;
  /** URL of its content, which needs no credential; for a file that was requested by its `path`. */
  readonly url?: string;
  /** ISO 8601: when the URL expires. */
  readonly expiresAt?: string;
}

/** A message of JSON-RPC 2.0, and no batch of them. Its protocol says what is in it. */
export const JsonRpcBody = z.looseObject({ jsonrpc: z.literal('2.0') });

/** The `Idempotency-Key` header: a repeated request never starts a second run. */
export const IdempotencyKey = z.string().min(1).max(255);

/** A request of a client over the WebSocket. */
export const SocketRequest = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('subscribe'),
    sessionId: SessionId,
    after: z.int().nonnegative().default(0),
  }),
  z.strictObject({ action: z.literal('unsubscribe'), sessionId: SessionId }),
  z.strictObject({ action: z.literal('cancel'), sessionId: SessionId }),
  z.strictObject({ action: z.literal('decide'), sessionId: SessionId, ...decision }),
  z.strictObject({ action: z.literal('ping') }),
]);
export type SocketRequest = z.infer<typeof SocketRequest>;

/** Messages of the server over the WebSocket besides `{ sessionId, frames }`. */
export type SocketNotice =
  | { readonly type: 'subscribed'; readonly sessionId: string }
  /** The answer to `cancel`: whether there was a run to stop. */
  | { readonly type: 'cancelled'; readonly sessionId: string; readonly cancelled: boolean }
  | {
      readonly type: 'decided';
      readonly sessionId: string;
      readonly id: string;
      readonly result: 'decided' | 'already_decided';
    }
  | { readonly type: 'pong' }
  | { readonly type: 'error'; readonly sessionId?: string; readonly problem: Problem };

/** The decision that counts, if there were several. */
export interface StandingDecision {
  outcome: string;
  /** The person who decided. */
  by: string;
  /** ISO 8601; absent when it is no longer known. */
  at?: string;
}

/** An RFC 9457 problem document, the body of every HTTP error. */
export interface Problem {
  /** A URI reference that names the kind of problem; `about:blank` when the title says it all. */
  type: string;
  title: string;
  status: number;
  /** How to fix it. */
  detail?: string;
  /** Which parts of the input were wrong. */
  errors?: { path: string; message: string }[];
  /** The decision that stands, when another one came second. */
  decision?: StandingDecision;
}

/**
 * The loop guards' figures in `GET /sessions/{sessionId}`: `get_stats`. They are of the current run, or the last one.
 */
export interface GuardStats {
  /** Whether loop guards are on. */
  enabled: boolean;
  /** Seconds in model calls and tools, since the last message if counters restart with each message. */
  turnElapsedSeconds: number;
  /** Requested calls, by tool, including refused ones. */
  toolCounts: Readonly<Record<string, number>>;
  /** Calls of all tools together. */
  totals: { calls: number };
  /** Calls that ran, by how they ended. */
  successes: number;
  failures: number;
  /** Counts at which a tool's calls cause a warning, a refusal and the end of the run; 0 = off. */
  thresholds: {
    idempotent: Thresholds;
    mutating: Thresholds;
    /** The thresholds of single tools, if they differ from those of their kind. */
    perTool: Readonly<Record<string, { [Name in keyof Thresholds]?: number | undefined }>>;
    noProgress: { warn: number; halt: number };
    cycles: Cycle & { poll: Cycle };
    activeTurnSeconds: number;
  };
}
/** The number of repetitions of a call without news at which it is warned about, refused, and ends the run. */
interface Cycle {
  advise: number;
  refuse: number;
  halt: number;
}
interface Thresholds {
  warn: number;
  block: number;
  halt: number;
}
