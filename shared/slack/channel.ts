import * as z from 'zod';
import type { Channel, Served, Turn } from '../agent/outbound/deliver.ts';
import type { Clock, SessionStore } from '../agent/ports.ts';
import { toSnapshot } from '../agent/view.ts';
import type { Frame } from '../contract/events.ts';
import type { SlackApi } from './api.ts';
import { type Followed, follow } from './follow.ts';
import type { Installation, SlackStore, SlackTokens } from './store.ts';
import { newThread, type Thread } from './thread.ts';

export interface SlackChannelOptions {
  readonly store: Pick<SlackStore, 'installation'>;
  readonly tokens: Pick<SlackTokens, 'get'>;
  /** The Web API with a bot's token. */
  readonly apiWith: (token: string) => Promise<SlackApi>;
  readonly sessions: Pick<SessionStore, 'slots'>;
  readonly clock: Clock;
  /** What came of asks that have been answered, by id, in mrkdwn. */
  readonly outcomes: (key: Turn['key'], ids: readonly string[]) => Promise<Readonly<Record<string, string>>>;
  readonly log: (message: string, facts: Readonly<Record<string, string>>) => void;
}

/** A destination of kind `slack`, as `functions/slack/begin.ts` makes it. */
const Config = z.object({
  place: z.object({ team: z.string(), channel: z.string(), thread: z.string().optional() }),
  /** Who began the session: streams are shown to somebody. */
  user: z.string(),
});

/** Refusals that another token may not meet: it was renewed by a new installation. */
const STALE_TOKEN: ReadonlySet<string> = new Set([
  'account_inactive',
  'invalid_auth',
  'token_expired',
  'token_revoked',
]);
/** Frames read at a time. */
const PAGE = 1_000;

/** Says sessions in Slack threads. */
export function createSlackChannel(options: SlackChannelOptions): Channel {
  return {
    isIdle: ({ cursor, memory }, { session, dueAt }) =>
      cursor >= session.eventSeq && dueAt === undefined && threadOf(memory).open.length === 0,
    serve: (turn) => serve(turn, options),
  };
}

async function serve(turn: Turn, options: SlackChannelOptions): Promise<Served> {
  const { key, view } = turn;
  const { place } = Config.parse(turn.destination.config);
  const installation = await options.store.installation(place.team);
  // Uninstalled, or another tenant's by now: whatever it would say is nobody's business there.
  const skipped = { patch: { cursor: view.session.eventSeq, memory: null } };
  if (!installation || installation.tenant !== key.tenant) return skipped;

  let followed = await tell(turn, installation, false, options);
  if (followed.end.kind === 'lost' && STALE_TOKEN.has(followed.end.error))
    followed = await tell(turn, installation, true, options);
  const { cursor, thread, end } = followed;
  switch (end.kind) {
    case 'quiet':
      return { patch: { cursor, memory: thread } };
    case 'again':
      return { patch: { cursor, memory: thread }, againAt: options.clock.now() + end.ms };
    case 'lost':
      options.log('nothing can be said in a Slack thread', { ...key, reason: end.error });
      return skipped;
    // The turn was lost at a save, and is not kept.
    case 'superseded':
      return { patch: {} };
    default:
      return end satisfies never;
  }
}

async function tell(
  turn: Turn,
  { secretId }: Installation,
  freshToken: boolean,
  { tokens, apiWith, sessions, clock, outcomes }: SlackChannelOptions,
): Promise<Followed> {
  const { key, destination, view, deadlineAt } = turn;
  const { place, user } = Config.parse(destination.config);
  const { team, channel, thread } = place;
  return follow(
    {
      sessionId: key.sessionId,
      target: { channel, ...(thread && { thread }) },
      recipient: { user, team },
      cursor: destination.cursor,
      thread: threadOf(destination.memory),
      expecting: view.dueAt !== undefined || view.leaseUntil > clock.now(),
      deadlineAt,
    },
    {
      api: await apiWith(await tokens.get(secretId, freshToken)),
      clock,
      frames: async (after) => wholeSnapshots(await allFrames(turn, after), turn, sessions),
      save: async (cursor, memory) =>
        (await turn.advance({ cursor, memory })) === 'lost' ? 'lost' : 'saved',
      outcomes: (ids) => outcomes(key, ids),
    },
  );
}

/** What is remembered, also by a version that knew less. */
const threadOf = (memory: unknown): Thread => ({ ...newThread, ...(memory as Partial<Thread> | null) });

async function allFrames({ frames }: Turn, after: number): Promise<Frame[]> {
  const all: Frame[] = [];
  for (;;) {
    const page = await frames(all.at(-1)?.seq ?? after, PAGE);
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

/** A conversation that was too long for its snapshot is read from where it is kept. */
async function wholeSnapshots(
  frames: readonly Frame[],
  { key, view }: Turn,
  sessions: Pick<SessionStore, 'slots'>,
): Promise<Frame[]> {
  const isCut = ({ event }: Frame) => event.type === 'CUSTOM' && event.name === 'steploop.snapshot_needed';
  if (!frames.some(isCut)) return [...frames];
  const slots = (await sessions.slots(key, view.session.contextStart)).map(({ slot }) => slot);
  const messages = toSnapshot(slots.filter(({ n }) => n < view.session.version));
  return frames.map((frame) =>
    isCut(frame) ? { ...frame, event: { type: 'MESSAGES_SNAPSHOT', messages } } : frame,
  );
}
