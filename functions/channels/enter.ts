import type { Agent } from '../../shared/agent/define/agent.ts';
import type { WakeupFile } from '../../shared/agent/define/webhook.ts';
import { type Accepted, accept, openSession } from '../../shared/agent/entrypoints/accept.ts';
import { acceptAgain } from '../../shared/agent/entrypoints/accept-again.ts';
import type { OutboundStore } from '../../shared/agent/outbound/destination.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import { callerFacts } from '../../shared/agent/session/caller.ts';
import type { PriceOf } from '../../shared/agent/session/pinned.ts';
import { type ChannelPlace, channelDestination } from '../../shared/channels/place.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { cutToMax } from '../webhooks/cut.ts';
import { type GivenFile, takeGiven } from '../webhooks/sent-files.ts';

export interface ChannelContext {
  readonly io: Pick<Ports, 'clock' | 'sessions' | 'inbox' | 'queue' | 'blobs' | 'egress' | 'listings'> & {
    readonly outbound: OutboundStore;
  };
  readonly agents: readonly Agent[];
  readonly priceOf: PriceOf;
}

/** A message of a person on its way into the session of its thread. */
export interface Coming {
  readonly key: SessionKey;
  readonly agent: string;
  readonly place: ChannelPlace;
  readonly eventId: string;
  /** Epoch ms of its arrival. */
  readonly at: number;
  /** Subject of the sender. */
  readonly by: string;
  readonly name?: string | undefined;
  readonly zone?: string | undefined;
  readonly text: string;
  /** Added to the text in any case: what did not come. */
  readonly remarks?: string;
  readonly title?: string | undefined;
  readonly files?: readonly (WakeupFile | GivenFile)[];
}

/** `no_agent`: no agent has that name; `taken`: the session is another agent's; `gone`: it was deleted a short time ago. */
export type Came = Exclude<Accepted, 'full' | 'unknown_session'> | 'no_agent' | 'taken' | 'gone';

/** Gives a message to the session of its thread, which is made if there is none. A repeat has no effect. */
export async function enterMessage(
  {
    key,
    agent: name,
    place,
    eventId,
    at,
    by,
    zone,
    text,
    remarks = '',
    title,
    files = [],
    ...person
  }: Coming,
  { io, agents, priceOf }: ChannelContext,
): Promise<Came> {
  const agent = agents.find((candidate) => candidate.name === name);
  if (!agent) return 'no_agent';
  const caller = callerFacts({ kind: 'channel', name: person.name, zone }, 'channel');
  const first = { at, by, caller };
  const opened = await openSession(key, agent, priceOf, io, { outbound: true, first });
  if (opened === 'gone') return 'gone';
  if (opened === 'other_agent') return 'taken';
  await io.outbound.put(key, channelDestination(place));
  const came = await takeGiven(files, {
    ...{ key, limits: agent.limits.workspace, blobs: io.blobs, egress: io.egress },
  });
  const after = [remarks, came.text].filter((part) => part !== '').join('\n');
  const said = {
    text: cutToMax(text, after),
    ...(came.attachments.length > 0 && { attachments: came.attachments }),
    ...first,
  };
  const arrival = {
    eventId,
    ...said,
    ...(title && { called: defined({ title }) }),
    whenFull: 'keep' as const,
  };
  const answer = await accept(key, arrival, io);
  const accepted = answer === 'conflict' && files.length > 0 ? await acceptAgain(key, eventId, io) : answer;
  if (accepted === undefined || accepted === 'full' || accepted === 'unknown_session')
    throw new Error(`the session ${key.sessionId} was just opened, and says ${accepted}`);
  return accepted;
}
