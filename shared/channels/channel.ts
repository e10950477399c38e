import type { ChannelFile } from '../agent/define/channel.ts';
import { callbackPauses } from '../agent/outbound/callback.ts';
import type { Channel } from '../agent/outbound/deliver.ts';
import { type Ended, type EndPorts, serveEnds, type TellOutcome } from '../agent/outbound/ends.ts';
import { defined } from '../agent/plain/defined.ts';
import type { Blobs } from '../agent/ports/blobs.ts';
import { firstSlotOf, runIdOf } from '../agent/session/run-ids.ts';
import { contentOf } from './content.ts';
import { givenBy, MAX_GIVEN_BYTES } from './given-files.ts';
import { type DecisionLink, linkToken } from './links.ts';
import { ChannelPlace } from './place.ts';
import { type Asked, type Turn, Unreachable, type Voice } from './voice.ts';

export interface ChannelsOptions extends EndPorts {
  /** The voice of a channel by its name; undefined if this deployment has no such channel. */
  readonly voiceOf: (channel: string) => Promise<Voice | undefined>;
  /** Base URL of the HTTP API, where links lead. */
  readonly httpUrl: string;
  /** The secrets that sign links. */
  readonly masters: () => Promise<string>;
  readonly blobs: Blobs;
  /** Notified when a channel did not take what it was to say. */
  readonly onFailed: (facts: Readonly<Record<string, string>>) => void;
}

/** Longest time of one try, in ms. */
const TIMEOUT_MS = 15_000;
/** How long a link is valid if its wait has no end, in ms: 14 days. */
const LINK_MS = 14 * 24 * 3_600_000;
/** Reasons of waits that people settle. */
const ASKS: ReadonlySet<string> = new Set(['approval', 'plan', 'question']);

/** Says the ends and waits of runs in the channels in which their sessions began. */
export function channelsChannel(options: ChannelsOptions): Channel {
  const { voiceOf, httpUrl, masters, onFailed, ...io } = options;
  const linkFor = async (link: DecisionLink) => `${httpUrl}/asks/${linkToken(link, await masters())}`;

  const turnOf = ({ key, view, destination }: Pick<Ended, 'key' | 'view' | 'destination'>): Turn => ({
    key,
    agent: view.session.agent,
    at: ChannelPlace.parse(destination.config),
    linkFor: (person, { waitId, expiresAt }) =>
      linkFor({
        ...key,
        waitId,
        person,
        expiresAt: expiresAt === undefined ? io.clock.now() + LINK_MS : Date.parse(expiresAt),
      }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });

  async function tell(ended: Ended): Promise<TellOutcome> {
    const turn = turnOf(ended);
    try {
      const voice = await voiceOf(turn.at.channel);
      // A channel that an earlier deployment had.
      if (!voice) return { kind: 'answered', status: 410 };
      await say(ended, turn, voice, () => filesOf(ended, options));
      return { kind: 'answered', status: 200 };
    } catch (error) {
      const name = error instanceof Error ? error.name : 'Error';
      onFailed({ ...ended.key, channel: turn.at.channel, error: name });
      return error instanceof Unreachable
        ? { kind: 'answered', status: 200 }
        : { kind: 'failed', code: name };
    }
  }

  return {
    isIdle: ({ state, cursor }, { session }) => state === 'disabled' || cursor >= session.eventSeq,
    serve: (turn) =>
      serveEnds(turn, {
        ...io,
        pauses: callbackPauses,
        timeoutMs: TIMEOUT_MS,
        tell,
        begins: async (begun) => {
          const at = turnOf(begun);
          const voice = await voiceOf(at.at.channel);
          await voice?.progress?.(at);
        },
      }),
  };
}

async function say(
  { end, text }: Ended,
  turn: Turn,
  { ask, answer }: Voice,
  files: () => Promise<readonly ChannelFile[]>,
): Promise<void> {
  const { seq, result, interrupts = [] } = end;
  const id = `${turn.key.sessionId}-${seq}`;
  const asked = interrupts.filter(({ reason }) => ASKS.has(reason));
  for (const [n, one] of asked.entries()) await ask(askOf(one, `${id}-${n}`, n === 0 ? text : ''), turn);
  // A wait for a tool, a child or a timer says nothing: the run goes on by itself.
  if (interrupts.length > 0 && asked.length === 0 && WAITING.has(result.state)) return;
  if (asked.length > 0) return;
  const { state, reason } = result;
  await answer({ id, text, state, reason, files }, turn);
}

async function filesOf(
  { key, view: { session }, end }: Ended,
  { sessions, blobs }: Pick<ChannelsOptions, 'sessions' | 'blobs'>,
): Promise<readonly ChannelFile[]> {
  const runId = runIdOf(end.runId);
  const slots = await sessions.slots(key, firstSlotOf(runId));
  const committed = slots.map(({ slot }) => slot).filter(({ n }) => n < session.version);
  return givenBy(committed, runId).map(({ name, bytes, hash }) => ({
    ...{ name, bytes },
    read: () => contentOf(session, hash, MAX_GIVEN_BYTES, blobs),
  }));
}

const WAITING: ReadonlySet<string> = new Set(['waiting_for_tool', 'waiting_for_input']);

const askOf = (
  { id: waitId, reason, message = '', expiresAt }: NonNullable<Ended['end']['interrupts']>[number],
  id: string,
  text: string,
): Asked => ({ id, waitId, reason, question: message, text, ...defined({ expiresAt }) });
