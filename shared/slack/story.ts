import { defined } from '../agent/plain/defined.ts';
import { runIdOf } from '../agent/session/run-ids.ts';
import type {
  AgUiEvent,
  Frame,
  Interrupt,
  RunResult,
  SnapshotMessage,
  TaskInfo,
} from '../contract/events.ts';
import type { Target } from './api.ts';
import { withObject } from './object.ts';
import type { ThreadSettings } from './settings.ts';
import { cardsOf, type StoryCard, type ToldCall } from './story-cards.ts';
import { filesIn, filesInSnapshot, type StoryFile } from './story-files.ts';

/** A run as a reader of the thread should see it, read from the event log. Retracted attempts are left out. */
export interface Story {
  readonly runId: string;
  /** The assistant's messages in order. A retracted one keeps its place for its replacement. */
  readonly said: readonly StoryMessage[];
  /** Tool calls of the run so far. */
  readonly calls: number;
  /** Files that it has given to people, in order. */
  readonly files: readonly StoryFile[];
  /** Tools that are running. */
  readonly busy: readonly string[];
  /**
   * Set while the model's server, or a source of the session's tools, is waited for: which by `code`, and until when in
   * ISO time.
   */
  readonly retrying?: { readonly code: string; readonly nextTryAt: string };
  /** A compaction is in progress: the agent says nothing meanwhile. */
  readonly folding?: true;
  /** The progress of the session's task list, as this run has last changed it. */
  readonly tasks?: TasksSoFar;
  /** Names of the skills that it has read, in order. */
  readonly skills?: readonly string[];
  /** The agent that it was handed over to last. */
  readonly handedTo?: string;
  readonly ending?: Ending;
  /** Seq of the run's last frame; absent while it is in progress. */
  readonly endSeq?: number;
  /** The place where the run is shown: its buttons lead back there, wherever Slack says that they stand. */
  readonly at?: Target;
  /** Whether people may rate its answer there. */
  readonly rates?: true;
  /** Its tasks and calls as cards, if they are shown as such. */
  readonly cards?: readonly StoryCard[];
}

export interface TasksSoFar {
  readonly done: number;
  readonly of: number;
  /** Title of the task that is in progress. */
  readonly now?: string;
}

export interface StoryMessage {
  readonly messageId: string;
  readonly text: string;
  /** More of it may come. */
  readonly open: boolean;
  /** The attempt that produced it failed; it should not be read. */
  readonly retracted: boolean;
}

export type Ending =
  | { readonly kind: 'done'; readonly result: RunResult }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'waiting'; readonly asks: readonly Ask[] }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

/** A request to a person. */
export interface Ask {
  readonly id: string;
  readonly reason: string;
  readonly message: string;
  /** ISO time after which it counts as denied, or as unanswered. */
  readonly expiresAt?: string;
  /** The approver may also allow later calls like it. */
  readonly grantable?: true;
}

/** The runs in these frames, oldest first; the last one may be in progress. Pure. */
export function toStories(
  frames: readonly Frame[],
  at?: Target,
  { rates, cards }: ThreadSettings = {},
): Story[] {
  const drafts: Draft[] = [];
  for (const { seq, event } of frames) {
    const last = drafts.at(-1);
    if (event.type === 'RUN_STARTED') drafts.push(newDraft(event.runId));
    else if (last && last.endSeq === undefined) tell(last, event, seq);
    else if (opensRun(event)) tell(pushed(drafts, newDraft(`from-${seq}`)), event, seq);
  }
  return drafts.map(({ tools, whole: _, list, object, ...story }) => ({
    ...story,
    said: withObject(story.said, story.ending && { object }),
    calls: tools.size,
    busy: busyOf(tools),
    ...(cards && { cards: cardsOf(list, tools, story.ending?.kind) }),
    ...defined({ at, rates }),
  }));
}

interface Draft {
  runId: string;
  said: StoryMessage[];
  tools: Map<string, ToldCall>;
  /** The session's task list, as this run has last changed it. */
  list: readonly TaskInfo[];
  files: StoryFile[];
  /** Messages that a snapshot has shown whole: it may have been read after them, so their events add nothing. */
  whole: Set<string>;
  retrying?: Story['retrying'];
  folding?: true;
  tasks?: TasksSoFar;
  skills?: readonly string[];
  handedTo?: string;
  /** The run's result, even if the run did not succeed. */
  object?: unknown;
  ending?: Ending;
  endSeq?: number;
}

const newDraft = (runId: string): Draft => ({
  runId,
  said: [],
  tools: new Map(),
  list: [],
  files: [],
  whole: new Set(),
});

const pushed = (drafts: Draft[], draft: Draft): Draft => {
  drafts.push(draft);
  return draft;
};

/** Events that show a run whose start is not in the log: it has expired, or was read before. */
const opensRun = (event: AgUiEvent): boolean =>
  (event.type === 'TEXT_MESSAGE_START' && event.role === 'assistant') ||
  event.type === 'RUN_FINISHED' ||
  event.type === 'RUN_ERROR';

function tell(draft: Draft, event: AgUiEvent, seq: number): void {
  if ('messageId' in event && draft.whole.has(event.messageId)) return;
  switch (event.type) {
    case 'TEXT_MESSAGE_START':
      if (event.role === 'assistant') begin(draft, event.messageId);
      break;
    case 'TEXT_MESSAGE_CONTENT':
      change(draft, event.messageId, (said) => ({ ...said, text: said.text + event.delta }));
      break;
    case 'TEXT_MESSAGE_END':
      change(draft, event.messageId, (said) => ({ ...said, open: false }));
      break;
    case 'TOOL_CALL_START':
      draft.tools.set(event.toolCallId, { name: event.toolCallName, done: false });
      break;
    case 'TOOL_CALL_RESULT': {
      const tool = draft.tools.get(event.toolCallId);
      const failed = event.content.startsWith('Error [');
      if (tool) draft.tools.set(event.toolCallId, { ...tool, done: true, failed });
      giveFiles(draft, filesIn(tool?.name, event.toolCallId, event.content));
      break;
    }
    case 'STEP_STARTED':
      draft.retrying = undefined;
      draft.folding = undefined;
      break;
    case 'MESSAGES_SNAPSHOT':
      restore(draft, event.messages);
      giveFiles(draft, filesInSnapshot(draft.runId, event.messages));
      break;
    case 'CUSTOM':
      if (event.name === 'steploop.aborted')
        for (const id of event.value.messageIds)
          change(draft, id, (said) => ({ ...said, open: false, retracted: true }));
      if (event.name === 'steploop.aborted') dropCalls(draft);
      if (event.name === 'steploop.tasks') {
        draft.tasks = soFar(event.value.tasks);
        draft.list = event.value.tasks;
      }
      if (event.name === 'steploop.skill')
        draft.skills = [...new Set([...(draft.skills ?? []), event.value.skill])];
      if (event.name === 'steploop.handoff') draft.handedTo = event.value.to;
      if (event.name === 'steploop.ended') draft.object = event.value.object;
      if (event.name === 'steploop.retry') draft.retrying = event.value;
      if (event.name === 'steploop.folding') draft.folding = true;
      if (event.name === 'steploop.folded') draft.folding = undefined;
      break;
    case 'RUN_FINISHED':
      end(draft, seq, finished(event));
      break;
    case 'RUN_ERROR':
      end(draft, seq, { kind: 'failed', code: event.code, message: event.message });
      break;
    default:
  }
}

/** Calls of an attempt that died may have been made by it alone. */
function dropCalls(draft: Draft): void {
  for (const [id, call] of draft.tools) if (!call.done) draft.tools.set(id, { ...call, dropped: true });
}

/** Adds files, each once: a snapshot repeats what events have said. */
function giveFiles(draft: Draft, files: readonly StoryFile[]): void {
  draft.files.push(...files.filter(({ key }) => !draft.files.some((known) => known.key === key)));
}

function soFar(tasks: readonly TaskInfo[]): TasksSoFar {
  const now = tasks.find(({ state }) => state === 'in_progress')?.title;
  const done = tasks.filter(({ state }) => state === 'done').length;
  return { done, of: tasks.length, ...(now && { now }) };
}

/** A new message, in the place of a retracted one if there is one. */
function begin(draft: Draft, messageId: string, text = '', open = true): void {
  const said = { messageId, text, open, retracted: false };
  const free = draft.said.findIndex(({ retracted }) => retracted);
  if (free < 0) draft.said.push(said);
  else draft.said[free] = said;
}

function change(draft: Draft, messageId: string, how: (said: StoryMessage) => StoryMessage): void {
  draft.said = draft.said.map((said) => (said.messageId === messageId ? how(said) : said));
}

/** Restores the committed messages of this run after an attempt that died. A message is named after its run. */
function restore(draft: Draft, messages: readonly SnapshotMessage[]): void {
  for (const message of messages) {
    if (
      message.role !== 'assistant' ||
      !message.id.startsWith(`${runIdOf(draft.runId)}-`) ||
      !message.content
    )
      continue;
    const { id, content } = message;
    draft.whole.add(id);
    const known = draft.said.some(({ messageId }) => messageId === id);
    if (known) change(draft, id, (said) => ({ ...said, text: content, open: false, retracted: false }));
    else begin(draft, id, content, false);
  }
}

function end(draft: Draft, seq: number, ending: Ending): void {
  draft.said = draft.said.map((said) => ({ ...said, open: false }));
  draft.retrying = undefined;
  draft.folding = undefined;
  draft.ending = ending;
  draft.endSeq = seq;
}

function finished({ outcome, result }: Extract<AgUiEvent, { type: 'RUN_FINISHED' }>): Ending {
  switch (outcome.type) {
    case 'success':
      return { kind: 'done', result };
    case 'cancelled':
      return { kind: 'cancelled' };
    case 'interrupt':
      return { kind: 'waiting', asks: outcome.interrupts.map(toAsk) };
    default:
      return outcome satisfies never;
  }
}

const toAsk = (interrupt: Interrupt): Ask => ({
  id: interrupt.id,
  reason: interrupt.reason,
  message: interrupt.message ?? '',
  ...(interrupt.expiresAt && { expiresAt: interrupt.expiresAt }),
  ...(interrupt.metadata?.grantable && { grantable: true }),
});

const busyOf = (tools: Draft['tools']): string[] => [
  ...new Set([...tools.values()].filter(({ done }) => !done).map(({ name }) => name)),
];
