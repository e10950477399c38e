/**
 * The answers of the HTTP API's routes. The types are those of `http.ts` and `events.ts`: a difference does not
 * compile.
 */
import * as z from 'zod';
import { type BudgetInfo, TenantLimits } from './budgets.ts';
import type { DaysAnswer } from './days.ts';
import type { Folded, SnapshotMessage, TaskInfo, ToolsOmitted } from './events.ts';
import { type FeedbackInfo, ratings } from './feedback.ts';
import { foldReasons } from './folds.ts';
import { HistoryFormat, type Imported } from './history.ts';
import type {
  BackgroundInfo,
  EndingInfo,
  FileInfo,
  GrantInfo,
  GuardStats,
  Problem,
  WaitDetails,
  WaitInfo,
} from './http.ts';
import { KeyScope } from './identity.ts';
import type { ForkOf, SessionRow } from './listing.ts';
import { MemoryId, memoryScopes } from './memories.ts';
import type { AttachmentInfo, AttachmentLink, UploadInfo } from './message.ts';
import { erasureStates, type PersonErasure } from './people.ts';
import { type ReplayAnswer, replayedEffects } from './replays.ts';
import {
  CatchUp,
  Into,
  Overlap,
  ScheduleBudget,
  type ScheduleInfo,
  scheduleStates,
  type TickInfo,
  tickOutcomes,
  When,
} from './schedules.ts';
import { AgentName, reasons, ScheduleId, SessionId, states, type Totals } from './session.ts';
import type { StepDetails, StepInfo, StepRequest, StepsAnswer } from './steps.ts';
import { type TenantKeyInfo, tenantKeyStates } from './tenant-keys.ts';
import { unpriced } from './unpriced.ts';
import { waitKinds } from './waits.ts';

const time = z.iso.datetime();
const cut = z.literal(true).optional().describe('Texts were cut because they do not fit into an answer.');
const count = z.int().nonnegative();
/** The outcomes of a call. */
const outcomes = ['ok', 'error', 'refused', 'cancelled', 'unknown'] as const;

/** An RFC 9457 problem document: the body of every error. */
export const ProblemBody = z.strictObject({
  type: z.string().describe('Names the kind of problem; `about:blank` when the title says it all.'),
  title: z.string(),
  status: z.int(),
  detail: z.string().optional().describe('How to fix it.'),
  errors: z
    .array(z.strictObject({ path: z.string(), message: z.string() }))
    .optional()
    .describe('Which parts of the input were wrong.'),
  decision: z
    .strictObject({ outcome: z.string(), by: z.string(), at: time.optional() })
    .optional()
    .describe('The decision that stands, when another one came second.'),
}) satisfies z.ZodType<Problem>;

/** How a message was accepted. */
export const AcceptedBody = z.strictObject({
  sessionId: SessionId,
  eventId: z.string(),
  duplicate: z.boolean().describe('The same request came before, and this one changed nothing.'),
});

/** The result of an import. */
export const ImportedBody = z.strictObject({
  sessionId: SessionId,
  duplicate: z.boolean().describe('The same request came before, and this one changed nothing.'),
  slots: count.describe('Turns of the conversation that the session starts with.'),
  leftOut: z
    .strictObject({
      system: count.describe('System and developer messages.'),
      thinking: count,
      links: count.describe('Images and files that were named by a URL or an id.'),
      parts: count.describe('Server tools, sources and data parts.'),
    })
    .describe('The parts that were not imported, by number.'),
  eventId: z.string().optional().describe('The event of the first message, if there was one.'),
}) satisfies z.ZodType<Imported>;

/** A page of a session in another format. */
export const ExportedBody = z.strictObject({
  format: HistoryFormat,
  messages: z.array(z.looseObject({ role: z.string() })).describe('Messages in the requested format.'),
  next: z.string().optional().describe('Pass it as `from`; absent on the last page.'),
});

const usage = {
  ...{ input: count, output: count, cacheRead: count, cacheWrite: count },
  cacheWrite1h: count.optional().describe('Tokens of `cacheWrite` that were written for an hour.'),
  webSearches: count.optional().describe('Web searches that the model’s server ran.'),
};
const notInPrice = z
  .array(z.enum(unpriced))
  .optional()
  .describe('Parts of the bill, known or possible, that are not in `costUsd`.');
const TotalsBody = z.strictObject({
  ...usage,
  costUsd: z.number(),
  infraUsd: z.number().optional().describe('USD for infrastructure, not included in `costUsd`.'),
  estimated: z.literal(true).optional(),
  notInPrice,
}) satisfies z.ZodType<Totals>;

const ForkOfBody = z
  .strictObject({
    sessionId: SessionId,
    below: count.describe('The first turn that the fork does not share with it.'),
  })
  .describe('The session that it was forked from.') satisfies z.ZodType<ForkOf>;

/** A fork was made, or already existed from the same request. */
export const ForkedBody = z.strictObject({ sessionId: SessionId, forkOf: ForkOfBody });

/** Forks of a session, oldest first. */
export const ForksBody = z.strictObject({ sessions: z.array(z.lazy(() => RowBody)) });

/** People's ratings of a session's answers, by run and person. */
export const FeedbackBody = z.strictObject({
  feedback: z.array(
    z.strictObject({
      runId: z.string().describe('The run, as in `run.id` of the session.'),
      rating: z.enum(ratings),
      by: z.string().describe('Subject of the person.'),
      at: time,
    }) satisfies z.ZodType<FeedbackInfo>,
  ),
});

/** A session of a list. */
export const RowBody = z.strictObject({
  sessionId: SessionId,
  agent: AgentName,
  state: z.enum(states),
  reason: z.enum(reasons).optional(),
  title: z.string(),
  source: z.string().describe('`http`, `ag-ui`, `chat`, `slack`, or `webhook:` and the name of the webhook.'),
  user: z.string().optional().describe('Subject of the caller who started it.'),
  metadata: z.record(z.string(), z.string()).optional(),
  forkOf: ForkOfBody.optional().describe('Of a fork.'),
  createdAt: time,
  movedAt: time.describe('When one of its runs last began, waited or ended.'),
  steps: count.describe('Model calls of its last run, at that time.'),
  totals: TotalsBody,
  delegatedUsd: z
    .number()
    .optional()
    .describe(
      'The part of `totals.costUsd` that sessions below it have used, and list themselves: leave it out of a sum.',
    ),
  message: z.string().optional().describe('How its last run ended.'),
  waits: count.optional().describe('Number of decisions that people are asked for.'),
  model: z.string().optional().describe('The model that answered last, as its server names it.'),
  ranMs: z
    .number()
    .optional()
    .describe(
      'Ms from the beginning of its last run to its end, without waits for people; absent while it runs.',
    ),
}) satisfies z.ZodType<SessionRow>;

/** A deleted session. */
export const DeletedBody = z.strictObject({
  sessionId: SessionId,
  deletedAt: time.describe('From then on the session cannot be found.'),
  goneBy: time.describe(
    'By then, or some minutes later, all of its data is deleted, and its id may be used again.',
  ),
});

/** Sessions, the most recently active first. */
export const SessionsBody = z.strictObject({
  sessions: z.array(RowBody),
  next: z.string().optional().describe('Pass it as `cursor`: there may be more, even if this page is short.'),
});

const wait = {
  id: z.string(),
  kind: z.enum(waitKinds),
  tool: z.string(),
  toolCallId: z.string(),
  message: z.string().describe('Plain text, in lines, to be shown unchanged.'),
  changes: z.array(z.string()).optional().describe('For a plan: the tool of each change, in order.'),
  child: SessionId.optional().describe(
    'For a child: its session. For anything else: the session below this one that waits for it.',
  ),
  expiresAt: time,
};
const BackgroundBody = z.strictObject({
  child: SessionId.describe('Its session.'),
  tool: z.string().describe('The tool with which it was asked.'),
  toolCallId: z.string(),
  expiresAt: z.string().describe('From then on it is stopped.'),
}) satisfies z.ZodType<BackgroundInfo>;

const WaitBody = z.strictObject(wait) satisfies z.ZodType<WaitInfo>;

/** The result of an answer to a call. */
export const AnsweredBody = z.strictObject({ result: z.enum(['taken', 'taken_before', 'told']) });

/** A progress report on a call was sent to the clients that follow its session. */
export const ToldBody = z.strictObject({ result: z.literal('told') });

/** A wait of a run, with the full input of its call. */
export const WaitDetailsBody = z.strictObject({
  ...wait,
  whole: z.string().optional().describe('Like `message`, but never cut.'),
  isWhole: z.boolean().optional(),
  sent: z.unknown().optional().describe('The arguments as the model sent them.'),
  isAsAsked: z.boolean().describe('The tool still reads the arguments as it did when people were asked.'),
}) satisfies z.ZodType<WaitDetails>;

const threshold = z.strictObject({ warn: count, block: count, halt: count });
const cycle = { advise: count, refuse: count, halt: count };

const StatsBody = z.strictObject({
  enabled: z.boolean(),
  turnElapsedSeconds: z.number(),
  toolCounts: z.record(z.string(), count),
  totals: z.strictObject({ calls: count }),
  successes: count,
  failures: count,
  thresholds: z.strictObject({
    idempotent: threshold,
    mutating: threshold,
    perTool: z.record(z.string(), threshold.partial()),
    noProgress: z.strictObject({ warn: count, halt: count }),
    cycles: z.strictObject({ ...cycle, poll: z.strictObject(cycle) }),
    activeTurnSeconds: z.number(),
  }),
}) satisfies z.ZodType<GuardStats>;

const EndingBody = z.strictObject({
  state: z.enum(states),
  reason: z.enum(reasons),
  code: z.string(),
  message: z.string(),
  guard: z.string().optional(),
  at: time,
  object: z
    .unknown()
    .optional()
    .describe('The answer of an agent that declares one, until a step of another run is done.'),
}) satisfies z.ZodType<EndingInfo>;

const TaskBody = z.strictObject({
  id: z.int().positive(),
  title: z.string(),
  state: z.enum(['open', 'in_progress', 'blocked', 'done']),
  why: z.string().optional().describe('For a blocked task: what it waits for.'),
}) satisfies z.ZodType<TaskInfo>;

const OmittedToolsBody = z.strictObject({
  source: z.string(),
  tools: z.array(z.strictObject({ tool: z.string(), why: z.string() })).describe('At most 50.'),
  more: count.optional().describe('How many more were left out.'),
}) satisfies z.ZodType<ToolsOmitted>;

const GrantBody = z.strictObject({
  id: z.string(),
  tool: z.string(),
  level: z
    .enum(['safe', 'moderate', 'dangerous', 'critical'])
    .describe('The highest level of danger that it covers.'),
  scope: z.enum(['run', 'session']),
  alike: z.enum(['call', 'tool']).describe('For exactly the same arguments, or for any call of the tool.'),
  usesLeft: count.optional().describe('Absent when only time ends it.'),
  until: time.optional().describe('Absent when no time ends it.'),
  by: z.string().describe('The person who granted it.'),
  at: time,
}) satisfies z.ZodType<GrantInfo>;

/** A grant that was revoked. */
export const RevokedBody = z.strictObject({ id: z.string(), revoked: z.literal(true) });

/** The callback of a session. */
export const CallbackBody = z.strictObject({
  url: z.string(),
  state: z.string(),
  attempts: count.describe('Failed tries of the next message.'),
  lastStatus: z.unknown().optional(),
  nextAt: time.optional(),
});

/** The state of a session. */
export const SessionBody = z.strictObject({
  sessionId: SessionId,
  agent: AgentName.describe('The agent that has it now.'),
  begunWith: AgentName.optional().describe('The agent with which it was begun, if that has handed it over.'),
  title: z.string().optional().describe('Its title in lists.'),
  definition: z.string().describe('Hash of the definition to which the session is pinned.'),
  state: z.enum(states),
  reason: z.enum(reasons).optional().describe('Absent while a run is in progress.'),
  lastEnding: EndingBody.optional().describe('How the last finished run ended.'),
  run: z
    .looseObject({ id: z.string(), steps: count, toolCalls: count, ended: z.boolean(), totals: TotalsBody })
    .optional()
    .describe('The current run, or the last one.'),
  totals: TotalsBody.describe('Totals of all runs of the session.'),
  guardrails: z.record(z.string(), z.unknown()).describe('The counters of each guard, by its name.'),
  stats: StatsBody.optional().describe('The figures of the loop guards.'),
  tasks: z.array(TaskBody).optional().describe('Its task list, if it has one.'),
  omittedTools: z
    .array(OmittedToolsBody)
    .optional()
    .describe('Tools of its sources that are left out, if there are any.'),
  forkOf: ForkOfBody.optional().describe('Of a fork.'),
  parent: z
    .strictObject({ sessionId: SessionId, toolCallId: z.string() })
    .optional()
    .describe('The call that it works for, if another session has begun it.'),
  background: z
    .array(BackgroundBody)
    .optional()
    .describe('The sessions that work for it in the background, if there are any.'),
  slots: count.describe('Committed turns of the conversation.'),
  attempts: count.describe('Claims since the last commit: above 1, workers have died.'),
  waiting: count.describe('Messages that no step has read yet.'),
  cursor: count.describe('Seq of the last committed event.'),
  waits: z.array(WaitBody).describe('The waits of the run.'),
  grants: z.array(GrantBody).describe('Permissions that people have granted for later calls.'),
  callback: CallbackBody.optional(),
});

const FoldedBody = z.strictObject({
  slot: count.describe('The turn of the conversation in which it happened.'),
  why: z.enum(foldReasons),
  tokens: z
    .strictObject({ before: count, after: count })
    .describe('Estimated tokens of the request to the model.'),
  left: z
    .strictObject({ messages: count, tokens: count })
    .describe('The part that the model no longer reads, since the conversation began.'),
  costUsd: z.number().describe('USD for the summary.'),
  model: z.string().optional().describe('The model that wrote the summary.'),
  summary: z.string().optional().describe('The text that the model reads in place of the omitted part.'),
}) satisfies z.ZodType<Folded>;

const attachment = {
  name: z.string(),
  mediaType: z.string().describe('As detected in its bytes.'),
};
const AttachmentBody = z.strictObject({
  hash: z.string().describe('SHA-256 of its bytes, in hex.'),
  ...attachment,
  bytes: count,
  as: z.enum(['image', 'document', 'file']),
  width: count.optional(),
  height: count.optional(),
  path: z.string().optional().describe('For a file: its path in the workspace.'),
  files: count.optional().describe('How many files were unpacked from it.'),
}) satisfies z.ZodType<AttachmentInfo>;

/** Where to send the bytes of an upload. */
export const UploadedBody = z.strictObject({
  id: z.string().describe('Its id in a message.'),
  url: z.string().describe('PUT the bytes here, with the headers, before it expires.'),
  headers: z.record(z.string(), z.string()),
  expiresAt: time,
}) satisfies z.ZodType<UploadInfo>;

/** A link to an attachment. */
export const AttachmentLinkBody = z.strictObject({
  url: z.string(),
  ...attachment,
  expiresAt: time,
}) satisfies z.ZodType<AttachmentLink>;

const attachments = z.array(AttachmentBody).optional().describe('Attachments of the message.');

const MessageBody = z.discriminatedUnion('role', [
  z.strictObject({ id: z.string(), role: z.literal('user'), content: z.string(), attachments }),
  z.strictObject({
    id: z.string(),
    role: z.literal('assistant'),
    content: z.string().optional(),
    toolCalls: z
      .array(
        z.strictObject({
          id: z.string(),
          type: z.literal('function'),
          function: z.strictObject({ name: z.string(), arguments: z.string() }),
        }),
      )
      .optional(),
    made: z.enum(['check', 'plan']).optional().describe('The system made these calls, not the model.'),
  }),
  z.strictObject({
    id: z.string(),
    role: z.literal('tool'),
    toolCallId: z.string(),
    content: z.string(),
    attachments,
  }),
  z
    .strictObject({
      id: z.string(),
      role: z.literal('activity'),
      activityType: z.literal('steploop.folded'),
      content: FoldedBody,
    })
    .describe('The context was compacted here; the messages before it stay.'),
]) satisfies z.ZodType<SnapshotMessage>;

const FileBody = z.strictObject({
  path: z.string(),
  bytes: count,
  hash: z.string().describe('SHA-256 of its content, in hex.'),
  url: z.string().optional().describe('URL of its content: for a file that was requested by `path`.'),
  expiresAt: time.optional().describe('When the URL expires.'),
}) satisfies z.ZodType<FileInfo>;

/** The files of a session. */
export const FilesBody = z.strictObject({
  slot: z.int().min(-1).describe('The turn after which this is the state of the files; -1 before the first.'),
  files: z.array(FileBody).describe('Sorted by path.'),
  next: z.string().optional().describe('Pass it as `after` for the next page.'),
});

/** The files of a session were restored. */
export const RestoredBody = z.strictObject({
  restored: count.describe('The turn whose files were restored.'),
});

/** A page of the conversation. */
export const MessagesBody = z.strictObject({
  messages: z.array(MessageBody),
  next: z.string().optional().describe('Pass it as `from`; absent on the last page.'),
});

const ms = z.number().nonnegative().optional();

const StepInfoBody = z.strictObject({
  runId: z.string(),
  step: count.describe(
    'Its number in its run; a compaction and a failed call have the number of the next reply.',
  ),
  slots: z.array(count).describe('Its slots: that of the reply, and that of its results when they exist.'),
  kind: z.enum(['model', 'fold', 'assessment', 'made']),
  finding: z
    .enum(['done', 'going_on', 'stuck', 'unclear'])
    .optional()
    .describe('Finding of an assessment of the progress.'),
  why: z
    .string()
    .optional()
    .describe('The reason of an assessment, in the words of the model that was asked.'),
  made: z.enum(['check', 'plan']).optional().describe('Why the system called tools itself.'),
  startedAt: time.optional().describe('When a worker claimed the session for it.'),
  toolsAt: time.optional().describe('When its calls began.'),
  attempt: z
    .int()
    .positive()
    .optional()
    .describe('The attempt that committed it; above 1, workers have died.'),
  retries: count.optional().describe('Failed tries before it, since the last reply.'),
  model: z.string().optional(),
  stop: z.string().optional().describe('Why the model stopped; absent if it gave no reply.'),
  usage: z.strictObject(usage).optional(),
  costUsd: z.number().optional().describe('USD for the model.'),
  infraUsd: z.number().optional().describe('USD for infrastructure, until the claim of the next step.'),
  estimated: z.literal(true).optional(),
  notInPrice,
  imported: z.literal(true).optional(),
  lost: TotalsBody.optional().describe('Additional charges that produced nothing.'),
  times: z
    .strictObject({
      queueMs: ms,
      claimMs: ms,
      prepareMs: ms,
      modelMs: ms,
      firstTokenMs: ms,
      waitMs: ms,
      toolsMs: ms,
      commitMs: ms,
    })
    .describe('In ms, in chronological order; `firstTokenMs` is part of `modelMs`.'),
  verdicts: z.array(z.looseObject({ guard: z.string(), kind: z.string(), code: z.string() })),
  fold: z
    .strictObject({
      why: z.enum(foldReasons),
      tokens: z.strictObject({ before: count, after: count }),
      left: z.strictObject({ messages: count, tokens: count }),
      start: count,
    })
    .optional(),
  calls: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      outcome: z.enum([...outcomes, 'open']).describe('`open`: there is no result yet.'),
      durationMs: z.number().optional(),
      cached: z.literal(true).optional(),
      child: SessionId.optional().describe('The session that it has begun.'),
      rule: z.string().optional().describe('The rule that decided whether it may run.'),
      decidedBy: z.string().optional().describe('The person who decided on it, if one did.'),
      decision: z.enum(['approved', 'denied', 'answered']).optional().describe('Their decision.'),
    }),
  ),
  text: z.string().describe('The text of the model, cut.'),
}) satisfies z.ZodType<StepInfo>;

/** A page of a session's steps. */
export const StepsBody = z.strictObject({
  steps: z.array(StepInfoBody),
  costUsd: z.number().describe('USD of the session for models, after its last step.'),
  next: z.string().optional().describe('Pass it as `from`; absent on the last page.'),
}) satisfies z.ZodType<StepsAnswer>;

/** A step in full. */
export const StepBody = z.strictObject({
  info: StepInfoBody,
  after: count
    .optional()
    .describe('Pass it to `GET /sessions/{sessionId}/events` to get the events of the step.'),
  price: z
    .strictObject({
      ...{ input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number() },
      cacheWrite1h: z.number().optional(),
      webSearches: z.never().optional(),
    })
    .optional()
    .describe('USD for a million tokens of each kind, for the model that was asked.'),
  input: z
    .array(
      z.strictObject({
        text: z.string(),
        attachments,
        eventId: z.string().optional().describe('The message that it came with.'),
        internal: z.string().optional().describe('Why the system added it.'),
      }),
    )
    .describe('What was new for the model, besides the results of the step before.'),
  content: z.array(z.looseObject({ type: z.string() })).describe('Blocks of the reply as they came.'),
  reasoning: z.string().optional(),
  summary: z.string().optional().describe('Of a fold.'),
  results: z.array(
    z.strictObject({
      callId: z.string(),
      name: z.string(),
      outcome: z.enum(outcomes),
      content: z.string().describe('What the model reads.'),
      durationMs: z.number(),
      isHead: z.literal(true).optional().describe('`content` is the head of a longer text.'),
      cached: z.literal(true).optional(),
      exitCode: z.number().optional(),
      note: z
        .strictObject({ message: z.string(), action: z.string() })
        .optional()
        .describe('A note of a guard on it.'),
      attachments,
      changes: z.array(z.string()).optional().describe('Files that it changed.'),
    }),
  ),
  cut,
}) satisfies z.ZodType<StepDetails>;

/** The model request of a step. */
export const StepRequestBody = z.strictObject({
  model: z.string(),
  maxTokens: count,
  options: z.record(z.string(), z.unknown()).describe('Additional options of the definition.'),
  system: z.string(),
  tools: z.array(
    z.strictObject({
      name: z.string(),
      description: z.string(),
      input_schema: z.record(z.string(), z.unknown()),
    }),
  ),
  messages: z.array(
    z.strictObject({
      role: z.enum(['user', 'assistant']),
      content: z.array(z.looseObject({ type: z.string() })),
    }),
  ),
  cut,
}) satisfies z.ZodType<StepRequest>;

const replayed = z.array(
  z.strictObject({
    runId: z.string(),
    step: count.describe('Step of the run, from 1.'),
    slot: count
      .optional()
      .describe(
        'First slot of the step; absent for a step of which nothing is stored, because the run ends before it.',
      ),
    guard: z.string(),
    code: z.string(),
    effect: z.enum(replayedEffects),
    toolCallId: z.string().optional().describe('The call that it is about.'),
    text: z.string().optional().describe('What the model reads, at most 2,000 characters.'),
    message: z.string().describe('What people read.'),
  }),
);
const unlisted = count.optional().describe('How many more verdicts there are than are listed.');

/** Verdicts of presets of guards on a session. */
export const ReplayBody = z.strictObject({
  from: count.describe('The first slot that was replayed.'),
  runs: z.array(z.strictObject({ runId: z.string(), steps: count })),
  ran: z
    .strictObject({ said: replayed, more: unlisted })
    .describe("Verdicts of the session's own guards, as they are stored."),
  presets: z.array(
    z.strictObject({
      preset: z.string(),
      said: replayed,
      more: unlisted,
      ends: z
        .array(
          z.strictObject({
            runId: z.string(),
            step: count.describe('The last step that is carried out.'),
            state: z.enum(states),
            reason: z.enum(reasons),
          }),
        )
        .describe('The runs that the preset ends within the stored steps.'),
    }),
  ),
  cut,
}) satisfies z.ZodType<ReplayAnswer>;

/** A page of the event log. */
export const EventsBody = z.strictObject({
  frames: z.array(
    z.strictObject({
      seq: count,
      prev: count,
      event: z.looseObject({ type: z.string() }).describe('An AG-UI event: docs/reference/events.md.'),
    }),
  ),
  next: count.describe('Pass it as `after`.'),
});

export const CancelledBody = z.strictObject({
  cancelled: z.boolean().describe('False when there was no run to stop.'),
});

export const StoppedBody = z.strictObject({
  stopped: z.boolean().describe('False when there was no run to stop.'),
});

/** `GET /chat/{chatId}/waits` */
export const ChatWaitsBody = z.strictObject({
  /** A step is due or running, so nothing is waited for. */
  isGoing: z.boolean(),
  /** Ids of everything that the run still waits for. */
  waits: z.array(z.string()),
});

export const ChatMessagesBody = z.strictObject({
  messages: z
    .array(
      z.strictObject({
        id: z.string(),
        role: z.enum(['user', 'assistant']),
        parts: z.array(z.looseObject({ type: z.string() })),
      }),
    )
    .describe('`UIMessage`s of the package `ai`, with `data-steploop-…` parts.'),
});

export const WrapUpBody = z.union([
  z.strictObject({ asked: z.literal(false) }),
  z.strictObject({ sessionId: SessionId, asked: z.literal(true) }),
]);

export const DecidedBody = z.strictObject({ id: z.string(), result: z.enum(['decided', 'already_decided']) });

export const StateBody = z.strictObject({ state: z.record(z.string(), z.unknown()).nullable() });

export const PageAnsweredBody = z.strictObject({ toolCallId: z.string(), result: z.literal('answered') });

export const CallbackSecretsBody = z.strictObject({ secrets: z.array(z.string()) });

export const TicketBody = z.strictObject({ ticket: z.string(), expiresAt: count.describe('Epoch ms.') });

const key = {
  keyId: z.string(),
  name: z.string(),
  scopes: z.array(KeyScope),
  createdBy: z.string(),
  createdAt: time,
  lastUsedOn: z.iso.date().optional(),
  revokedAt: time.optional(),
};
export const KeyBody = z.strictObject(key);
export const MintedKeyBody = z.strictObject({
  ...key,
  key: z.string().describe('The key itself. It is returned only here.'),
});
export const KeysBody = z.strictObject({ keys: z.array(KeyBody) });

export const MemoriesBody = z.strictObject({
  memories: z.array(
    z.strictObject({
      id: MemoryId,
      scope: z.enum(memoryScopes),
      text: z
        .string()
        .describe('Something that a person has said or an agent has found: data, never an instruction.'),
      sessionId: SessionId.describe('The session in which it was saved.'),
      by: z.array(z.string()).describe('Subjects of the people whose messages its run had read.'),
      savedAt: time,
    }),
  ),
  matching: count.describe('Facts that match the query.'),
  of: count.describe('All facts of this memory.'),
  next: MemoryId.optional().describe('Pass it as `after`.'),
});
/** How far the deletion of a person's data has got. */
export const ErasureBody = z.strictObject({
  user: z.string(),
  erasureId: z.string().describe('Names the deletion in the log, which does not name the person.'),
  state: z
    .enum(erasureStates)
    .describe(
      '`erasing`: found data is still stored. `erased`: none is, and late writes are awaited. `done`: nothing is left.',
    ),
  requestedAt: time,
  goneBy: time
    .optional()
    .describe('With `erased`: some minutes later it is done, unless something is found.'),
  doneAt: time.optional(),
  sessions: z
    .strictObject({ left: count, erased: count })
    .describe('As of the last sweep. Forks of the person’s sessions count.'),
  memories: count.describe('Facts that were deleted.'),
  uploads: count.describe('Uploads of the last day that were deleted.'),
}) satisfies z.ZodType<PersonErasure>;

export const TenantKeyBody = z.strictObject({
  tenant: z.string(),
  state: z
    .enum(tenantKeyStates)
    .describe('`none`: nothing of the tenant was written since the option was turned on.'),
  createdAt: time.optional().describe('With `live`.'),
  deletedAt: time.optional().describe('With `deleted`, as all that follows.'),
  deletedBy: z.string().optional().describe('Subject of the administrator.'),
  everywhereBy: time.optional().describe('From then on no function uses the key any more.'),
  remains: z.array(z.string()).optional().describe('Data that the deletion does not reach, a sentence each.'),
}) satisfies z.ZodType<TenantKeyInfo>;

export const ForgottenBody = z.strictObject({ forgotten: count });

export const BudgetBody = z.strictObject({
  tenant: z.string(),
  day: z.iso.date().describe('In UTC.'),
  resetsAt: time,
  limits: TenantLimits.required().describe('The limits in effect for a day; 0 is unlimited.'),
  own: TenantLimits,
  used: z
    .strictObject({ tokens: z.number(), usd: z.number(), steps: z.number() })
    .optional()
    .describe('Including reservations for model calls in progress. Absent if the deployment limits nothing.'),
}) satisfies z.ZodType<BudgetInfo>;

const figures = {
  runs: count.describe('Runs that ended.'),
  failed: count.describe('Those that neither completed nor were cancelled.'),
  reasons: z.array(z.strictObject({ reason: z.enum([...reasons, 'unknown']), runs: count })),
  durations: z.strictObject({
    count: count.describe('Runs whose duration is known.'),
    p50Ms: count.optional(),
    p95Ms: count.optional(),
  }),
  steps: count.describe('Model calls that got a reply.'),
  ...{ input: count, output: count, cacheRead: count, cacheWrite: count },
  costUsd: z.number(),
  lostUsd: z.number().describe('The part of `costUsd` for calls that produced nothing.'),
  infraUsd: z.number(),
};
export const DaysBody = z.strictObject({
  days: z.array(
    z.strictObject({
      day: z.iso.date().describe('In UTC.'),
      sessions: count,
      ...figures,
      partial: z.literal(true).optional().describe('Some sessions are not counted.'),
    }),
  ),
  pending: count.describe('Days that are over and not counted yet.'),
  total: z.strictObject(figures),
  agents: z.array(
    z.strictObject({ name: z.string(), runs: count, failed: count, steps: count, costUsd: z.number() }),
  ),
  models: z.array(
    z.strictObject({
      ...{ name: z.string(), calls: count },
      ...{ input: count, output: count, cacheRead: count, cacheWrite: count },
      costUsd: z.number(),
    }),
  ),
  tools: z.array(
    z.strictObject({
      ...{ name: z.string(), calls: count, failed: count },
      ms: z.number(),
      costUsd: z.number(),
    }),
  ),
}) satisfies z.ZodType<DaysAnswer>;

const dead = {
  id: z.string(),
  source: z.string(),
  name: z.string(),
  deliveryId: z.string(),
  reason: z.string().describe('docs/operating.md, hooks-die.'),
  detail: z.string(),
  bytes: count,
  at: time,
};
export const DeadListBody = z.strictObject({
  deliveries: z.array(z.strictObject(dead)),
  next: z.string().optional().describe('Pass it as `after`.'),
});
export const DeadBody = z.strictObject({
  ...dead,
  contentType: z.string(),
  body: z.string(),
  bodyCut: z.literal(true).optional(),
});
export const RedrivenBody = z.strictObject({ sessionId: SessionId, duplicate: z.boolean() });
export const IgnoredBody = z.strictObject({ ignored: z.string().describe('The name of the event.') });
export const RedrivenAllBody = z.strictObject({
  redriven: count,
  failed: z.array(z.strictObject({ id: z.string(), reason: z.string(), detail: z.string() })),
  next: z.string().optional().describe('There are more: pass it as `after`.'),
});

/** The result of an accepted webhook delivery. */
export const TakenBody = z.union([
  z.strictObject({ sessionId: SessionId, duplicate: z.literal(false) }),
  z.strictObject({ kept: z.string().describe('It cannot be carried out, and is kept under this id.') }),
]);
export const TakenBeforeBody = z.union([
  IgnoredBody,
  z.strictObject({
    sessionId: SessionId.optional(),
    duplicate: z.literal(true),
    conflict: z.literal(true).optional(),
    replay: z.literal(true).optional(),
  }),
]);

export const IndexBody = z.strictObject({
  name: z.literal('steploop'),
  agents: z.array(z.strictObject({ name: z.string(), version: z.string() })),
  routes: z.array(z.string()),
});

/** A schedule, and how far it has got. */
export const ScheduleBody = z.strictObject({
  scheduleId: ScheduleId,
  name: z.string(),
  agent: AgentName,
  when: When,
  zone: z.string(),
  message: z.string().optional().describe('Absent if the definition has a function for it.'),
  into: Into,
  overlap: Overlap,
  catchUp: CatchUp,
  budget: ScheduleBudget.optional(),
  callbackUrl: z.string().optional(),
  declared: z.boolean().describe('The definition has it: only a deploy changes or removes it.'),
  createdBy: z.string().describe('Subject, or `schedule:` and its id for one of the definition.'),
  createdAt: time,
  state: z.enum(scheduleStates),
  why: z.string().optional().describe('Why it is paused, if no person has paused it.'),
  nextAt: time.optional().describe('Its next tick; absent unless it is active.'),
  until: time.optional().describe('Its last tick, for a goal of an agent.'),
  waiting: count.describe('Ticks that are being started, or wait for the run before them.'),
  last: z
    .strictObject({ at: time, sessionId: SessionId })
    .optional()
    .describe('The last tick that was started.'),
  spentUsd: z
    .number()
    .optional()
    .describe('Dollars that its sessions have spent in the span of its budget, as of its last tick.'),
}) satisfies z.ZodType<ScheduleInfo>;

export const SchedulesBody = z.strictObject({
  schedules: z.array(ScheduleBody),
  next: ScheduleId.optional().describe('Pass it as `after` for the next page.'),
});

/** The ticks of a schedule. */
export const TicksBody = z.strictObject({
  ticks: z.array(
    z.strictObject({
      tickId: z.string(),
      at: time.describe('When it was due.'),
      decidedAt: time,
      outcome: z.enum(tickOutcomes),
      sessionId: SessionId.optional().describe(
        'The session that it has written to, or whose run was in its way.',
      ),
      detail: z.string().optional(),
      missedUntil: time.optional().describe('The last of the ticks that were missed with it.'),
    }) satisfies z.ZodType<TickInfo>,
  ),
  next: z.string().optional().describe('Pass it as `before` for the next page.'),
});

export const RunScheduleBody = z.strictObject({ tickId: z.string() });
export const DeletedScheduleBody = z.strictObject({ deleted: ScheduleId });
