import { accept } from '../../shared/agent/entrypoints/accept.ts';
import { importSession } from '../../shared/agent/entrypoints/import.ts';
import { formats } from '../../shared/agent/history/formats.ts';
import { beginsMessage, turnsOf } from '../../shared/agent/history/of-slots.ts';
import { toSlots } from '../../shared/agent/history/to-slots.ts';
import { HistoryFault, type Turn } from '../../shared/agent/history/turns.ts';
import { slotsOf } from '../../shared/agent/lineage/slots.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import { isTooDeep, MAX_DEPTH } from '../../shared/agent/plain/depth.ts';
import { canonicalJson } from '../../shared/agent/plain/hash.ts';
import type { SessionStore } from '../../shared/agent/ports/sessions.ts';
import { callerFacts } from '../../shared/agent/session/caller.ts';
import type { Session } from '../../shared/agent/session/session.ts';
import type { Slot } from '../../shared/agent/session/slots.ts';
import {
  ExportQuery,
  type Imported,
  ImportSession,
  MAX_IMPORT_BYTES,
} from '../../shared/contract/history.ts';
import { sessionIdFor } from '../../shared/contract/ids.ts';
import { keepImported } from '../attachments/imported.ts';
import { roomOf } from '../attachments/limits.ts';
import { admitted } from '../middleware/admit.ts';
import { parseOr400, Refusal } from '../middleware/problem.ts';
import { json, parsedJson, rawBody } from '../middleware/request.ts';
import { agentNamed, answerTo, eventIdOf, idempotencyKeyOf, reusedKey, saidIn } from './arrivals.ts';
import { justDeleted, noSuchSession, type Route, sessionKeyOf } from './context.ts';
import { cutTurns } from './history-cut.ts';
import { answerBytes, PAGE_BYTES } from './page.ts';
import { userOf } from './seen.ts';

/** `POST /sessions/import`: a session that begins with an imported conversation. The same Idempotency-Key leads to the same session. */
export const postImport: Route = async (event, caller, context) => {
  const { tenant } = caller;
  const { io } = context;
  const sent = parsedJson(rawBody(event, MAX_IMPORT_BYTES));
  if (isTooDeep(sent))
    throw new Refusal(400, 'Invalid body', {
      detail: `The body is nested more than ${MAX_DEPTH} levels deep.`,
    });
  const body = parseOr400(ImportSession, sent, 'body');
  const { agent: name, history, message, mode, title, metadata } = body;
  const agent = agentNamed(name, context);
  const user = userOf(caller);
  const idempotencyKey = idempotencyKeyOf(event);
  const sessionId = idempotencyKey
    ? await sessionIdFor('import', `${tenant}:${idempotencyKey}`)
    : `s${io.ids.next()}`;
  const key = { tenant, sessionId };
  return admitted(key, context.limits, (place) =>
    orUnusable(async () => {
      const { turns, leftOut } = formats[history.format].read(history.messages);
      const imported = await importSession(
        key,
        {
          ...{
            agent,
            asked: canonicalJson({ ...body, user }),
            options: {
              mode,
              user,
              first: {
                at: context.io.clock.now(),
                by: caller.subject,
                caller: callerFacts(caller, 'http'),
                metadata,
              },
            },
          },
          called: { ...(title && { title }), ...defined({ metadata }) },
          async slots(importId) {
            const kept = await keepImported(turns, { key, limits: roomOf(agent), blobs: io.blobs });
            return madeOf(turns, importId, kept);
          },
        },
        context.priceOf,
        io,
      );
      if (imported.kind === 'gone') throw justDeleted();
      if (imported.kind === 'other') throw reusedKey();
      const { slots } = imported;
      const answer: Imported = { sessionId, duplicate: imported.kind === 'repeated', slots, leftOut };
      if (message === undefined) {
        await place.giveBack();
        return json(201, answer);
      }
      const eventId = eventIdOf(event, io);
      const said = await saidIn(message, { key, eventId, caller, agent }, context);
      const accepted = await accept(key, said.arrival, io);
      if (accepted === 'duplicate') await place.giveBack();
      if (accepted === 'full' || accepted === 'unknown_session') await said.giveBack();
      return answerTo(accepted, { ...answer, eventId }, 201);
    }),
  );
};

function madeOf(
  turns: readonly Turn[],
  importId: string,
  kept: Awaited<ReturnType<typeof keepImported>>,
): Slot[] {
  const slots = toSlots(turns, {
    importId,
    attachmentOf: (media) => {
      const attachment = kept.get(media);
      if (!attachment) throw new Error('the conversation names media that were not kept');
      return attachment;
    },
  });
  if (slots.length === 0)
    throw new Refusal(400, 'Unusable history', {
      detail: 'These messages contain no text and no media.',
    });
  return slots;
}

/** Refuses with 400 if the messages are unusable: only their sender can fix them. */
async function orUnusable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HistoryFault) throw new Refusal(400, 'Unusable history', { detail: error.message });
    throw error;
  }
}

/** `GET /sessions/{sessionId}/export`: the committed conversation as messages of another API. */
export const exportSession: Route = async (event, caller, { io }) => {
  const key = sessionKeyOf(event, caller);
  const view = await io.sessions.read(key);
  if (!view) throw noSuchSession();
  const { format, from } = parseOr400(ExportQuery, event.queryStringParameters ?? {}, 'query');
  const { write } = formats[format];
  const page: Slot[] = [];
  let next: number | undefined;
  let bytes = 0;
  for await (const slot of slotsFrom(view.session, from, io.sessions)) {
    const more = answerBytes(turnsOf([slot]));
    if (bytes + more > PAGE_BYTES && page.length > 0 && beginsMessage(slot, page.at(-1))) {
      next = slot.n;
      break;
    }
    page.push(slot);
    bytes += more;
  }
  const messages = write(cutTurns(turnsOf(page), write));
  return json(200, { format, messages, ...(next !== undefined && { next: String(next) }) });
};

/** Committed slots from `from` on, including those shared with a fork's parent. They are read lazily. */
async function* slotsFrom(
  session: Session,
  from: number,
  sessions: Pick<SessionStore, 'slots'>,
): AsyncGenerator<Slot> {
  const { version: below } = session;
  for (let at = from; at < below; ) {
    const read = await slotsOf(session, at, sessions, { below, bytes: PAGE_BYTES });
    if (read.length === 0) return;
    for (const { slot } of read) yield slot;
    at += read.length;
  }
}
