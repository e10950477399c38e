import type { Agent } from '../../shared/agent/define/agent.ts';
import { type Accepted, type Arrival, accept } from '../../shared/agent/entrypoints/accept.ts';
import { acceptAgain } from '../../shared/agent/entrypoints/accept-again.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import { contentOf, type SaidContent } from '../../shared/contract/ag-ui-parts.ts';
import { MAX_PARTS, MAX_TEXT } from '../../shared/contract/message.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import type { Uploads } from '../../shared/edge/uploads.ts';
import { roomOf } from '../attachments/limits.ts';
import { Refusal } from '../middleware/problem.ts';

/** Context for taking in messages of pages. */
export interface SaidContext {
  readonly io: Pick<Ports, 'clock' | 'sessions' | 'inbox' | 'queue' | 'blobs' | 'egress' | 'listings'>;
  readonly uploads: Uploads;
  readonly agents: readonly Agent[];
}

/** The content of a message. Refuses content that cannot be taken in. */
export function checked(content: unknown): SaidContent {
  const said = contentOf(content);
  if (!said)
    throw unusable(
      'Its content is text, or parts of text, image, document, audio and video with their source.',
    );
  const text = said.text.trim();
  if (said.media.length > MAX_PARTS)
    throw unusable(`It may have at most ${MAX_PARTS} parts that are not text.`);
  if (text.length > MAX_TEXT || (text === '' && said.media.length === 0))
    throw unusable(`It must have 1 to ${MAX_TEXT} characters.`);
  return { text, media: said.media };
}

/** Adds a message's media once its session exists. By then they are content of the session. */
export async function withMedia(
  key: SessionKey,
  arrival: Arrival,
  media: SaidContent['media'],
  name: string | undefined,
  context: SaidContext,
): Promise<() => Promise<Accepted>> {
  const { io, agents } = context;
  const { eventId, by: subject = '' } = arrival;
  if (media.length === 0)
    return async () => {
      const accepted = await accept(key, arrival, io);
      return accepted === 'conflict' && (await isShownAgain(key, arrival, io))
        ? ((await acceptAgain(key, eventId, io)) ?? accepted)
        : accepted;
    };
  if (await isShownAgain(key, arrival, io))
    return async () => (await acceptAgain(key, eventId, io)) ?? 'unknown_session';
  const existing = await io.sessions.read(key);
  const agent = agents.find((one) => one.name === (existing?.session.agent ?? name)) ?? agents[0];
  const { takeParts } = await import('../attachments/parts.ts');
  const { attachments, giveBack } = await takeParts(
    media,
    { key, eventId, subject, limits: roomOf(agent) },
    context,
  );
  return async () => {
    const accepted = await accept(key, { ...arrival, attachments }, io);
    if (accepted === 'full' || accepted === 'unknown_session') await giveBack();
    return accepted;
  };
}

/**
 * Whether a message was already taken in with attachments. A client that got it from a snapshot sends our links in place of the
 * bytes, omits files, and sends our placeholder text where the message had none.
 */
async function isShownAgain(
  key: SessionKey,
  { eventId, text }: Arrival,
  { inbox }: Pick<Ports, 'inbox'>,
): Promise<boolean> {
  const [kept] = await inbox.read(key, [eventId]);
  return kept?.attachments !== undefined && (kept.text === text || kept.text === '');
}

const unusable = (detail: string) => new Refusal(400, 'Unusable message', { detail });
