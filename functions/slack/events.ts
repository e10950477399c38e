import { log } from '../../shared/logger.ts';
import { toDeletion, toMessage } from '../../shared/slack/inbound.ts';
import { installedFor, whoseEvent } from '../../shared/slack/installed.ts';
import { type EventEnvelope, EventRequest, SlackEvent } from '../../shared/slack/payloads.ts';
import { readTolerantly } from '../../shared/slack/tolerant.ts';
import { parseOr400 } from '../middleware/problem.ts';
import { json, parsedJson } from '../middleware/request.ts';
import type { Response, SlackContext } from './context.ts';
import { hear } from './hear.ts';
import { isInTurn } from './turns.ts';

/**
 * `POST /slack/events`. A message is durable before Slack gets its answer, within Slack's three seconds; slower work goes to the
 * job queue. If the message cannot be made durable the answer is an error, and Slack sends the event again. Retries are
 * deduplicated by what they carry.
 */
export async function onEvents(body: string, context: SlackContext): Promise<Response> {
  const sent = parsedJson(body);
  const read = readTolerantly(EventRequest, sent);
  const request = read.value ?? parseOr400(EventRequest, sent, 'event');
  switch (request.type) {
    case 'url_verification':
      return json(200, { challenge: request.challenge });
    case 'app_rate_limited':
      log('warn', 'Slack holds events back: more than 30,000 an hour', { team: request.team_id });
      return done;
    case 'event_callback': {
      const { type } = request.event;
      const event = isRead(type) ? readTolerantly(SlackEvent, request.event) : { odd: [] };
      const odd = [...read.odd, ...event.odd];
      // Slack adds and changes fields at any time. Its content is not logged: it may be a person's words.
      if (odd.length > 0)
        log('warn', 'an event of Slack has odd fields', { event: type, odd: odd.join(', ') });
      if (event.value) return onEvent(event.value, request, context);
      if (odd.length > 0) log('error', 'an event of Slack cannot be read', { event: type });
      return done;
    }
    default:
      return request satisfies never;
  }
}

const isRead = (type: string): boolean => SlackEvent.options.some(({ shape }) => shape.type.value === type);

async function onEvent(
  event: SlackEvent,
  envelope: EventEnvelope & { readonly event_time?: number },
  context: SlackContext,
): Promise<Response> {
  const { jobs, store } = context;
  const installation = await installedFor(store, ...whoseEvent(envelope));
  if (!installation) return unknownTeam(envelope);
  const { team } = installation;
  const at = (envelope.event_time ?? 0) * 1000;
  switch (event.type) {
    case 'app_mention':
    case 'message': {
      const { bots = [] } = context.config;
      const message = toMessage(event, envelope, installation, bots);
      const isWanted = message && (message.kind !== 'reply' || context.config.replies);
      if (isWanted && (bots.length === 0 || (await isInTurn(message, context))))
        await hear(message, installation, context);
      const deleted = toDeletion(event, envelope, installation);
      if (deleted) await (await import('./taken-back.ts')).takeBack(deleted, installation, context);
      return done;
    }
    case 'assistant_thread_started':
      await (await import('./pane.ts')).onPaneOpened(event, installation, context);
      return done;
    case 'reaction_added':
      await (await import('./trigger.ts')).onReaction(event, envelope, installation, context);
      return done;
    case 'app_home_opened':
      // Slack reports the tab for messages too.
      if (event.tab !== undefined && event.tab !== 'home') return done;
      await jobs.send({ kind: 'home', team, user: event.user, tries: 0 });
      return done;
    case 'tokens_revoked':
      // The app requests no tokens of single users, so their revocation does not matter.
      if (!event.tokens?.bot?.length) return done;
      await jobs.send({ kind: 'uninstall', team, at, tries: 0 });
      return done;
    case 'app_uninstalled':
      await jobs.send({ kind: 'uninstall', team, at, tries: 0 });
      return done;
    default:
      return event satisfies never;
  }
}

const done = json(200, {});

function unknownTeam({ team_id, enterprise_id }: EventEnvelope): Response {
  // An error would make Slack retry, and in the end turn events off for all workspaces.
  log('warn', 'an event of a workspace that has not installed the app', {
    team: team_id ?? enterprise_id ?? 'unknown',
  });
  return done;
}
