/** What the routes of the HTTP API answer. The types are those of `http.ts` and `events.ts`: what differs does not compile. */
import * as z from 'zod';
import { type BudgetInfo, TenantLimits } from './budgets.ts';
import type { Folded, SnapshotMessage, TaskInfo, ToolsOmitted } from './events.ts';
import { foldReasons } from './folds.ts';
import { HistoryFormat, type Imported } from './history.ts';
import type { EndingInfo, FileInfo, GrantInfo, GuardStats, Problem, WaitDetails, WaitInfo } from './http.ts';
import { KeyScope } from './identity.ts';
import type { ForkOf, SessionRow } from './listing.ts';
import { MemoryId, memoryScopes } from './memories.ts';
import type { AttachmentInfo, AttachmentLink, UploadInfo } from './message.ts';
import { AgentName, reasons, SessionId, states, type Totals } from './session.ts';
import type { StepDetails, StepInfo, StepRequest, StepsAnswer } from './steps.ts';
import { unpriced } from './unpriced.ts';

const time = z.iso.datetime();
const count = z.int().nonnegative();
/** What a call came to. */
const outcomes = ['ok', 'error', 'refused', 'cancelled', 'unknown'] as const;

/** An RFC 9457 problem document: the body of every error. */
export const ProblemBody = z.strictObject({
  type: z.string().describe('Names the kind of problem; `about:blank` when the title says it all.'),
  title: z.string(),
  status: z.int(),
  detail: z.string().optional().describe('What to do about it.'),
  errors: z
    .array(z.strictObject({ path: z.string(), message: z.string() }))
    .optional()
    .describe('Which parts of the input were wrong.'),
  decision: z
    .strictObject({ outcome: z.string(), by: z.string(), at: time.optional() })
    .optional()
    .describe('The decision that stands, when another one came second.'),
}) satisfies z.ZodType<Problem>;

/** What a message was accepted as. */
export const AcceptedBody = z.strictObject({
  sessionId: SessionId,
  eventId: z.string(),
  duplicate: z.boolean().describe('The same request came before, and this one changed nothing.'),
});

/** What an import has come to. */
export const ImportedBody = z.strictObject({
  sessionId: SessionId,
  duplicate: z.boolean().describe('The same request came before, and this one changed nothing.'),
  slots: count.describe('Turns of the conversation that the session has begun with.'),
  leftOut: z
    .strictObject({
      system: count.describe('System and developer messages.'),
      thinking: count,
      links: count.describe('Images and files that were named by a URL or an id.'),
      parts: count.describe('Tools of a server, sources, data of a page.'),
    })
    .describe('What is not in the session, by number.'),
  eventId: z.string().optional().describe('Of the first message, where there was one.'),
}) satisfies z.ZodType<Imported>;

/** A page of a session in another format. */
export const ExportedBody = z.strictObject({
  format: HistoryFormat,
  messages: z.array(z.looseObject({ role: z.string() })).describe('As the format has them.'),
  next: z.string().optional().describe('Pass it as `from`; absent on the last page.'),
});

const usage = {
  ...{ input: count, output: count, cacheRead: count, cacheWrite: count },
  cacheWrite1h: count.optional().describe('Of `cacheWrite`, tokens that were written for an hour.'),
  webSearches: count.optional().describe('Web searches that the model’s server ran.'),
};
const notInPrice = z
  .array(z.enum(unpriced))
  .optional()
  .describe('Parts of the bill, known or possible, that are not in `costUsd`.');
const TotalsBody = z.strictObject({
  ...usage,
  costUsd: z.number(),
  infraUsd: z.number().optional().describe('USD for infrastructure, which `costUsd` does not have in it.'),
  estimated: z.literal(true).optional(),
  notInPrice,
}) satisfies z.ZodType<Totals>;

const ForkOfBody = z
  .strictObject({
    sessionId: SessionId,
    below: count.describe('The first turn that it does not share with it.'),
  })
  .describe('Which session it was forked from.') satisfies z.ZodType<ForkOf>;

/** A fork was made, or had been by the same request. */
export const ForkedBody = z.strictObject({ sessionId: SessionId, forkOf: ForkOfBody });

/** Forks of a session, the oldest first. */
export const ForksBody = z.strictObject({ sessions: z.array(z.lazy(() => RowBody)) });

/** A session of a list. */
export const RowBody = z.strictObject({
  sessionId: SessionId,
  agent: AgentName,
  state: z.enum(states),
  reason: z.enum(reasons).optional(),
  title: z.string(),
  source: z.string().describe('`http`, `ag-ui`, `chat`, `slack`, or `webhook:` and the name of the webhook.'),
  user: z.string().optional().describe('Subject of who has begun it.'),
  metadata: z.record(z.string(), z.string()).optional(),
  forkOf: ForkOfBody.optional().describe('Of a fork.'),
  createdAt: time,
  movedAt: time.describe('When a run of it last began, waited or ended.'),
  steps: count.describe('Model calls of its last run, as of then.'),
  totals: TotalsBody,
  message: z.string().optional().describe('How its last run ended.'),
  waits: count.optional().describe('How many decisions people are asked for.'),
  model: z.string().optional().describe('Which model has answered last, as its server calls it.'),
  ranMs: z
    .number()
    .optional()
    .describe(
      'Ms from the beginning of its last run to its end, without waits for people; absent while it goes.',
    ),
}) satisfies z.ZodType<SessionRow>;

/** A session that was deleted. */
export const DeletedBody = z.strictObject({
  sessionId: SessionId,
  deletedAt: time.describe('From then on nobody finds it.'),
  goneBy: time.describe(
    'By then, or some minutes later, nothing is left of it, and its id may be used again.',
  ),
});

/** Sessions, those first that moved last. */
export const SessionsBody = z.strictObject({
  sessions: z.array(RowBody),
  next: z
    .string()
    .optional()
    .describe('Pass it as `cursor`: there may be more, also when this page is short.'),
});

const wait = {
  id: z.string(),
  kind: z.enum(['approval', 'question', 'call', 'callback', 'plan']),
  tool: z.string(),
  toolCallId: z.string(),
  message: z.string().describe('Plain text, in lines, to be shown as it is.'),
  changes: z.array(z.string()).optional().describe('Of a plan: the tool of each change, in their order.'),
  expiresAt: time,
};
const WaitBody = z.strictObject(wait) satisfies z.ZodType<WaitInfo>;

/** What became of an answer to a call. */
export const AnsweredBody = z.strictObject({ result: z.enum(['taken', 'taken_before']) });

/** A word on how far a call is was told to who follows its session. */
export const ToldBody = z.strictObject({ result: z.literal('told') });

/** One thing that a run waits for, with all that its call would be run with. */
export const WaitDetailsBody = z.strictObject({
  ...wait,
  whole: z.string().optional().describe('As `message`, and nothing cut.'),
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
  why: z.string().optional().describe('What it waits for; of one that is blocked.'),
}) satisfies z.ZodType<TaskInfo>;

const OmittedToolsBody = z.strictObject({
  source: z.string(),
  tools: z.array(z.strictObject({ tool: z.string(), why: z.string() })).describe('Up to 50.'),
  more: count.optional().describe('How many more were left out.'),
}) satisfies z.ZodType<ToolsOmitted>;

const GrantBody = z.strictObject({
  id: z.string(),
  tool: z.string(),
  level: z.enum(['safe', 'moderate', 'dangerous', 'critical']).describe('It covers nothing more dangerous.'),
  scope: z.enum(['run', 'session']),
  alike: z.enum(['call', 'tool']).describe('For the very same arguments, or for any call of the tool.'),
  usesLeft: count.optional().describe('Absent when only time ends it.'),
  until: time.optional().describe('Absent when no time ends it.'),
  by: z.string().describe('Who has given it.'),
  at: time,
}) satisfies z.ZodType<GrantInfo>;

/** A grant covers nothing any more. */
export const RevokedBody = z.strictObject({ id: z.string(), revoked: z.literal(true) });

/** Where a session stands. */
export const SessionBody = z.strictObject({
  sessionId: SessionId,
  agent: AgentName,
  title: z.string().optional().describe('What lists call it.'),
  definition: z.string().describe('Hash of what the session is pinned to.'),
  state: z.enum(states),
  reason: z.enum(reasons).optional().describe('Absent while a run goes.'),
  lastEnding: EndingBody.optional().describe('How the last run that ended did.'),
  run: z
    .looseObject({ id: z.string(), steps: count, toolCalls: count, ended: z.boolean(), totals: TotalsBody })
    .optional()
    .describe('The run that is going, or the last one.'),
  totals: TotalsBody.describe('Of all runs of the session.'),
  guardrails: z.record(z.string(), z.unknown()).describe('What each guard has counted, by its name.'),
  stats: StatsBody.optional().describe('The figures of the guards against loops.'),
  tasks: z.array(TaskBody).optional().describe('Its list of tasks, where it has one.'),
  omittedTools: z
    .array(OmittedToolsBody)
    .optional()
    .describe('Tools of its sources that it goes without, where there are any.'),
  forkOf: ForkOfBody.optional().describe('Of a fork.'),
  slots: count.describe('Committed turns of the conversation.'),
  attempts: count.describe('Claims since the last commit: above 1, workers have died.'),
  waiting: count.describe('Messages that no step has read yet.'),
  cursor: count.describe('Seq of the last committed event.'),
  waits: z.array(WaitBody).describe('What the run waits for.'),
  grants: z.array(GrantBody).describe('What people have allowed for calls to come.'),
  callback: z
    .strictObject({
      url: z.string(),
      state: z.string(),
      attempts: count,
      lastStatus: z.unknown().optional(),
      nextAt: time.optional(),
    })
    .optional(),
});

const FoldedBody = z.strictObject({
  slot: count.describe('The turn of the conversation in which it happened.'),
  why: z.enum(foldReasons),
  tokens: z.strictObject({ before: count, after: count }).describe('Of the request to the model, estimated.'),
  left: z
    .strictObject({ messages: count, tokens: count })
    .describe('What the model reads no more, since the conversation began.'),
  costUsd: z.number().describe('USD for the summary.'),
  model: z.string().optional().describe('Who has written the summary.'),
  summary: z.string().optional().describe('What the model reads in place of what was left out.'),
}) satisfies z.ZodType<Folded>;

const attachment = {
  name: z.string(),
  mediaType: z.string().describe('By its bytes.'),
};
const AttachmentBody = z.strictObject({
  hash: z.string().describe('SHA-256 of its bytes, in hex.'),
  ...attachment,
  bytes: count,
  as: z.enum(['image', 'document', 'file']),
  width: count.optional(),
  height: count.optional(),
  path: z.string().optional().describe('Of a file: where it is in the workspace.'),
  files: count.optional().describe('How many files were unpacked from it.'),
}) satisfies z.ZodType<AttachmentInfo>;

/** Where to send the bytes of an upload. */
export const UploadedBody = z.strictObject({
  id: z.string().describe('Names it in a message.'),
  url: z.string().describe('PUT the bytes here, with the headers, until it expires.'),
  headers: z.record(z.string(), z.string()),
  expiresAt: time,
}) satisfies z.ZodType<UploadInfo>;

/** A link to something that was sent. */
export const AttachmentLinkBody = z.strictObject({
  url: z.string(),
  ...attachment,
  expiresAt: time,
}) satisfies z.ZodType<AttachmentLink>;

const attachments = z.array(AttachmentBody).optional().describe('What was sent beside the text.');

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
    made: z
      .enum(['check', 'plan'])
      .optional()
      .describe('The system has made these calls, and not the model.'),
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
    .describe('Here what the model reads was made smaller; the messages before it stay.'),
]) satisfies z.ZodType<SnapshotMessage>;

const FileBody = z.strictObject({
  path: z.string(),
  bytes: count,
  hash: z.string().describe('SHA-256 of its content, in hex.'),
  url: z
    .string()
    .optional()
    .describe('Where its content can be had: of a file that was asked for by `path`.'),
  expiresAt: time.optional().describe('Until when it can.'),
}) satisfies z.ZodType<FileInfo>;

/** The files of a session. */
export const FilesBody = z.strictObject({
  slot: z.int().min(-1).describe('The turn after which they are so; -1 before the first.'),
  files: z.array(FileBody).describe('Sorted by path.'),
  next: z.string().optional().describe('Pass it as `after` for the next page.'),
});

/** Files were set back. */
export const RestoredBody = z.strictObject({ restored: count.describe('The turn whose files they are.') });

/** A page of the conversation. */
export const MessagesBody = z.strictObject({
  messages: z.array(MessageBody),
  next: z.string().optional().describe('Pass it as `from`; absent on the last page.'),
});

const ms = z.number().nonnegative().optional();

const StepInfoBody = z.strictObject({
  runId: z.string(),
  step: count.describe(
    'Its number in its run; a fold, and a call that failed, have that of the reply that comes next.',
  ),
  slots: z
    .array(count)
    .describe('Its slots: that of the reply, and that of its results when they are there.'),
  kind: z.enum(['model', 'fold', 'made']),
  made: z.enum(['check', 'plan']).optional().describe('Why the system has called tools itself.'),
  startedAt: time.optional().describe('When a worker claimed the session for it.'),
  toolsAt: time.optional().describe('When its calls began.'),
  attempt: z
    .int()
    .positive()
    .optional()
    .describe('Which attempt has committed it; above 1, workers have died.'),
  retries: count.optional().describe('Tries that came to nothing before it, since the last reply.'),
  model: z.string().optional(),
  stop: z.string().optional().describe('Why the model stopped; absent where it gave no reply.'),
  usage: z.strictObject(usage).optional(),
  costUsd: z.number().optional().describe('USD for the model.'),
  infraUsd: z.number().optional().describe('USD for infrastructure, until the claim of the next step.'),
  estimated: z.literal(true).optional(),
  notInPrice,
  imported: z.literal(true).optional(),
  lost: TotalsBody.optional().describe('Charged besides, and for nothing.'),
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
    .describe('In ms, in the order in which it happens; the first word is within `modelMs`.'),
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
      rule: z.string().optional().describe('Which rule has decided whether it may run.'),
      decidedBy: z.string().optional().describe('Who has decided on it, where a person did.'),
      decision: z.enum(['approved', 'denied', 'answered']).optional().describe('What they have decided.'),
    }),
  ),
  text: z.string().describe('What the model said, cut.'),
}) satisfies z.ZodType<StepInfo>;

/** A page of what a session did. */
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
    .describe('Pass it to `GET /sessions/{sessionId}/events`: there is what clients were told of the step.'),
  price: z
    .strictObject({
      ...{ input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number() },
      cacheWrite1h: z.number().optional(),
      webSearches: z.never().optional(),
    })
    .optional()
    .describe('USD for a million tokens of each kind, of the model that was asked.'),
  input: z
    .array(
      z.strictObject({
        text: z.string(),
        attachments,
        eventId: z.string().optional().describe('The message that it came with.'),
        internal: z.string().optional().describe('Why the system says it itself.'),
      }),
    )
    .describe('What the model read for the first time, besides the results of the step before.'),
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
        .describe('What a guard says on it.'),
      attachments,
      changes: z.array(z.string()).optional().describe('Files that it has changed.'),
    }),
  ),
  cut: z.literal(true).optional().describe('Texts were cut: no answer holds them.'),
}) satisfies z.ZodType<StepDetails>;

/** What a step's model was asked with. */
export const StepRequestBody = z.strictObject({
  model: z.string(),
  maxTokens: count,
  options: z.record(z.string(), z.unknown()).describe('What the definition asks for besides.'),
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
  cut: z.literal(true).optional().describe('Texts were cut: no answer holds them.'),
}) satisfies z.ZodType<StepRequest>;

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
  key: z.string().describe('The key itself. It is told here and nowhere else.'),
});
export const KeysBody = z.strictObject({ keys: z.array(KeyBody) });

export const MemoriesBody = z.strictObject({
  memories: z.array(
    z.strictObject({
      id: MemoryId,
      scope: z.enum(memoryScopes),
      text: z.string().describe('What somebody has said, or an agent has found: data, and no instruction.'),
      sessionId: SessionId.describe('In which session it was saved.'),
      by: z.array(z.string()).describe('Subjects of those whose messages its run had read.'),
      savedAt: time,
    }),
  ),
  matching: count.describe('Facts that fit the query.'),
  of: count.describe('All facts of this memory.'),
  next: MemoryId.optional().describe('Pass it as `after`.'),
});
export const ForgottenBody = z.strictObject({ forgotten: count });

export const BudgetBody = z.strictObject({
  tenant: z.string(),
  day: z.iso.date().describe('In UTC.'),
  resetsAt: time,
  limits: TenantLimits.required().describe('What holds, a day; 0 is unlimited.'),
  own: TenantLimits,
  used: z
    .strictObject({ tokens: z.number(), usd: z.number(), steps: z.number() })
    .optional()
    .describe(
      'With what is reserved for model calls that go on. Absent where the deployment limits nothing.',
    ),
}) satisfies z.ZodType<BudgetInfo>;

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

/** What becomes of a webhook's delivery that was taken. */
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
