import * as z from 'zod';
import { toSnapshot } from '../agent/events/snapshot.ts';
import type { Channel, Served, Telling } from '../agent/outbound/deliver.ts';
import { defined } from '../agent/plain/defined.ts';
import type { Blobs } from '../agent/ports/blobs.ts';
import type { Clock } from '../agent/ports/ports.ts';
import type { SessionStore } from '../agent/ports/sessions.ts';
import type { Frame } from '../contract/events.ts';
import type { SlackApi } from './api.ts';
import type { AskMessage } from './asks.ts';
import { follow } from './follow.ts';
import type { Followed } from './following.ts';
import { newThread, type Thread } from './remembered.ts';
import type { TokenOf } from './renewed.ts';
import { openThread, type Root } from './root.ts';
import type { ThreadSettings } from './settings.ts';
import type { Installation, SlackStore } from './store.ts';

export interface SlackChannelOptions extends ThreadSettings {
  readonly store: Pick<SlackStore, 'installation' | 'linkThread'>;
  readonly tokenOf: TokenOf;
  /** The Web API with a bot's token. */
  readonly apiWith: (token: string) => Promise<SlackApi>;
  readonly sessions: Pick<SessionStore, 'slots'>;
  readonly blobs: Blobs;
  readonly clock: Clock;
  /** The outcomes of asks that have been answered, by id, in mrkdwn. */
  readonly outcomes: (
    key: Telling['key'],
    asks: readonly AskMessage[],
  ) => Promise<Readonly<Record<string, string>>>;
  readonly log: (message: string, facts: Readonly<Record<string, string>>) => void;
}

/** A destination of kind `slack`, as `functions/slack/begin.ts` and `slackDestination` make it. */
const Config = z.object({
  place: z.object({ team: z.string(), channel: z.string(), thread: z.string().optional() }),
  /** The user who began the session: Slack shows a stream to a given user. Absent if none did: then nothing is streamed. */
  user: z.string().optional(),
  /** The words with which the bot opens a thread of its own in the channel, in mrkdwn. */
  opens: z.string().optional(),
  /** The user's workspace, if the place belongs to an organisation. */
  workspace: z.string().optional(),
});

/** Refusals that another token may not meet: a new installation may have renewed it. */
const STALE_TOKEN: ReadonlySet<string> = new Set([
  'account_inactive',
  'invalid_auth',
  'token_expired',
  'token_revoked',
]);
/** Frames read at a time. */
const PAGE = 1_000;

/**
 * Delays between tries of a place that cannot be posted to, in ms: 15 s, twice as long each time up to an hour, about
 * 13 hours in all. A bot may be out of a channel for seconds, and a workspace's trouble with its plan lasts a day.
 * After that, the place is tried when its session goes on, which a message there causes.
 */
const awayMs = (tries: number): number | undefined =>
  tries > 20 ? undefined : Math.min(3_600_000, 15_000 * 2 ** (tries - 1));

/** The memory of a place that cannot be posted to, beside its {@link Thread}, which is kept unchanged. */
interface Away {
  readonly tries: number;
  /** The session's version at the last try. */
  readonly version: number;
}

/** Shows sessions in Slack threads. */
export function createSlackChannel(options: SlackChannelOptions): Channel {
  return {
    isIdle: ({ cursor, memory }, { session, dueAt }) =>
      cursor >= session.eventSeq && dueAt === undefined && threadOf(memory).open.length === 0,
    isPressing: ({ memory }, { session }) => session.version > (awayOf(memory)?.version ?? Infinity),
    serve: (turn) => serve(turn, options),
  };
}

async function serve(turn: Telling, options: SlackChannelOptions): Promise<Served> {
  const { key, view } = turn;
  const { place } = Config.parse(turn.destination.config);
  const installation = await options.store.installation(place.team);
  // Uninstalled: it continues here when the tenant installs the app again.
  if (!installation) return { patch: {} };
  // Another tenant has the workspace, and must not see anything of this session.
  if (installation.tenant !== key.tenant) {
    options.log('a session is not shown in Slack: its workspace belongs to another tenant', { ...key });
    return { patch: { cursor: view.session.eventSeq, memory: null } };
  }

  let followed = await tell(turn, installation, false, options);
  if (followed.end.kind === 'lost' && STALE_TOKEN.has(followed.end.error)) {
    const memory = { ...followed.thread, root: followed.root };
    const destination = { ...turn.destination, cursor: followed.cursor, memory };
    followed = await tell({ ...turn, destination }, installation, true, options);
  }
  const { cursor, thread, root, end } = followed;
  const memory = { ...thread, ...defined({ root }) };
  switch (end.kind) {
    case 'quiet':
      return { patch: { cursor, memory } };
    case 'again':
      return { patch: { cursor, memory }, againAt: options.clock.now() + end.ms };
    case 'lost':
      return outOfReach(turn, followed, end.error, options);
    // The turn was superseded when it was saved, and is not kept.
    case 'superseded':
      return { patch: {} };
    default:
      return end satisfies never;
  }
}

/** Nothing is forgotten and nothing skipped: what could not be posted is posted when the place is available again. */
function outOfReach(
  { key, view, destination }: Telling,
  { cursor, thread, root }: Told,
  reason: string,
  { clock, log }: SlackChannelOptions,
): Served {
  const before = awayOf(destination.memory)?.tries ?? 0;
  const tries = awayMs(before) === undefined && before > 0 ? 1 : before + 1;
  const ms = awayMs(tries);
  if (tries === 1) log('nothing can be posted in a Slack thread: it is tried again', { ...key, reason });
  if (ms === undefined)
    log('nothing can be posted in a Slack thread: it waits for a message there', { ...key, reason });
  const away: Away = { tries, version: view.session.version };
  return {
    patch: { cursor, memory: { ...thread, ...defined({ root }), away } },
    ...(ms !== undefined && { againAt: clock.now() + ms }),
  };
}

/** The outcome of a turn, with the thread that the bot has opened. */
interface Told extends Followed {
  readonly root?: Root | undefined;
}

async function tell(
  turn: Telling,
  installation: Installation,
  freshToken: boolean,
  { store, tokenOf, apiWith, sessions, blobs, clock, rates, cards, outcomes, log }: SlackChannelOptions,
): Promise<Told> {
  const { key, destination, view, deadlineAt } = turn;
  const { place, user, workspace, opens } = Config.parse(destination.config);
  const { team, channel } = place;
  const api = await apiWith(await tokenOf(installation, freshToken));
  const before = threadOf(destination.memory);
  const thread =
    user === undefined && before.streams !== 'never' ? { ...before, streams: 'never' as const } : before;
  const saveRoot = async (root: Root) =>
    (await turn.advance({ memory: { ...thread, root } })) === 'lost' ? 'lost' : 'saved';
  const opened =
    opens === undefined
      ? undefined
      : await openThread({ key, channel, opens, root: rootOf(destination.memory) }, { api, clock, saveRoot });
  if (opened && 'end' in opened) return { cursor: destination.cursor, thread, ...opened };
  const root = opened?.root;
  if (root?.ts) await store.linkThread({ team, channel, thread: root.ts }, key);
  const at = root?.ts ?? place.thread;
  const followed = await follow(
    {
      sessionId: key.sessionId,
      target: { channel, ...(at && { thread: at }) },
      recipient: { user: user ?? '', team: workspace ?? team },
      ...defined({ rates, cards }),
      cursor: destination.cursor,
      thread,
      expecting: view.dueAt !== undefined || view.leaseUntil > clock.now(),
      deadlineAt,
    },
    {
      api,
      clock,
      frames: async (after) => wholeSnapshots(await allFrames(turn, after), turn, sessions),
      save: async (cursor, memory) =>
        (await turn.advance({ cursor, memory: { ...memory, ...defined({ root }) } })) === 'lost'
          ? 'lost'
          : 'saved',
      outcomes: (asks) => outcomes(key, asks),
      content: async (hash, maxBytes) =>
        (await import('../channels/content.ts')).contentOf(view.session, hash, maxBytes, blobs),
      onMissing: (error) => log('something cannot be shown in a Slack thread', { ...key, reason: error }),
    },
  );
  return { ...followed, root };
}

/** Reads the memory, even if an older version with fewer fields wrote it. */
function threadOf(memory: unknown): Thread {
  const { away: _, root: __, ...thread } = (memory ?? {}) as Partial<Thread> & { away?: Away; root?: Root };
  return { ...newThread, ...thread };
}

const rootOf = (memory: unknown): Root | undefined => (memory as { root?: Root } | null)?.root;

const awayOf = (memory: unknown): Away | undefined => (memory as { away?: Away } | null)?.away;

async function allFrames({ frames }: Telling, after: number): Promise<Frame[]> {
  const all: Frame[] = [];
  for (;;) {
    const page = await frames(all.at(-1)?.seq ?? after, PAGE);
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

/** A conversation that was too long for its snapshot is read from its own place. */
async function wholeSnapshots(
  frames: readonly Frame[],
  { key, view }: Telling,
  sessions: Pick<SessionStore, 'slots'>,
): Promise<Frame[]> {
  const isCut = ({ event }: Frame) => event.type === 'CUSTOM' && event.name === 'steploop.snapshot_needed';
  if (!frames.some(isCut)) return [...frames];
  const slots = (await sessions.slots(key, 0)).map(({ slot }) => slot);
  const messages = toSnapshot(slots.filter(({ n }) => n < view.session.version));
  return frames.map((frame) =>
    isCut(frame) ? { ...frame, event: { type: 'MESSAGES_SNAPSHOT', messages } } : frame,
  );
}
