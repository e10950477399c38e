import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as z from 'zod';
import type { ChannelDefinition } from '../../shared/agent/define/channel.ts';
import type { WebhookEvent } from '../../shared/agent/define/webhook.ts';
import { hash } from '../../shared/agent/plain/hash.ts';
import { zoneNamed } from '../../shared/agent/plain/zones.ts';
import { subjectOf } from '../../shared/channels/place.ts';
import { sessionIdFor } from '../../shared/contract/ids.ts';
import { Tenant } from '../../shared/contract/session.ts';
import type { HookLog } from '../../shared/edge/hook-log.ts';
import type { IsOutage } from '../../shared/edge/outage.ts';
import { log, whereFrom } from '../../shared/logger.ts';
import { Refusal } from '../middleware/problem.ts';
import { json } from '../middleware/request.ts';
import { plainHeaders, requestOf } from '../webhooks/delivery.ts';
import { verifyDelivery } from '../webhooks/verify.ts';
import { type ChannelContext, enterMessage } from './enter.ts';

export interface ReceiveContext extends ChannelContext {
  readonly channels: Readonly<Record<string, ChannelDefinition>>;
  readonly hookLog: HookLog;
  readonly secretsOf: (name: string | undefined) => Promise<readonly string[]>;
  readonly isOutage: IsOutage;
}

/** The JSON of a place. It is kept in an item of the table, whose size is limited. */
const MAX_PLACE = 16_000;

const name = z.string().min(1).max(1_000);
const folder = z.string().max(512).optional();
const Message = z.object({
  agent: z.string().min(1),
  tenant: Tenant.optional(),
  thread: z.string().min(1).max(2_000),
  from: z.object({ id: z.string().min(1).max(255), name: z.string().optional() }),
  text: z.string(),
  files: z
    .array(
      z.union([
        z.object({ name, folder, text: z.string() }),
        z.object({ name, folder, base64: z.string() }),
        z.object({ name, folder, url: z.string() }),
      ]),
    )
    .max(10)
    .optional(),
  place: z.json().optional(),
  zone: z.string().optional(),
});

/** `POST /channels/{channel}`: a verified delivery becomes a message of a person. */
export async function onDelivery(event: APIGatewayProxyEventV2, context: ReceiveContext) {
  const { io, hookLog, secretsOf, isOutage } = context;
  const channel = event.pathParameters?.channel ?? '';
  const found = Object.hasOwn(context.channels, channel) ? context.channels[channel] : undefined;
  if (!found) throw new Refusal(404, 'No such channel');
  const at = io.clock.now();
  const request = requestOf(event, at);
  const secrets = await secretsOf(found.verify.secret);
  const delivery = await verifyDelivery(request, secrets, found.verify, isOutage);
  const { key: id, signed } = delivery;
  const message = readWith(found, { ...delivery, headers: plainHeaders(request, secrets) }, channel);
  if (!message) return json(200, { ignored: delivery.name });

  const source = `channel.${channel}`;
  const noted = await hookLog.note({
    tenant: found.tenant,
    source,
    id,
    body: request.body,
    ...(signed && { signed }),
  });
  if (noted === 'conflict' || noted === 'replay') {
    log('warn', 'a delivery of a channel came again, changed or under another id', { channel });
    return json(200, { duplicate: true });
  }
  const { agent, tenant = found.tenant, thread, from, text, files = [], place = null, zone } = message;
  const key = { tenant, sessionId: await sessionIdFor('channel', `${channel} ${thread}`) };
  const person = subjectOf(channel, from.id);
  const came = await enterMessage(
    {
      ...{ key, agent, at, by: person, name: from.name, zone: zoneNamed(zone) ? zone : undefined },
      place: { channel, thread, person, from: from.id, place },
      eventId: `${channel}-${hash(id)}`,
      text: text.trim() === '' && files.length === 0 ? '(The message has no text.)' : text,
      files: files.map(({ folder, ...file }) => ({ ...file, ...(folder !== undefined && { folder }) })),
    },
    context,
  );
  if (came === 'no_agent' || came === 'taken' || came === 'gone')
    throw new Refusal(409, 'Not accepted', { detail: sentences[came] });
  return json(came === 'accepted' ? 202 : 200, { sessionId: key.sessionId, duplicate: came !== 'accepted' });
}

const sentences = {
  no_agent: 'The channel names an agent that is not deployed.',
  taken: 'The session of this thread belongs to another agent.',
  gone: 'The session of this thread was deleted less than two hours ago.',
} as const;

/** Asks the channel what a delivery says. It is user code: it may throw, or return anything. */
function readWith(
  { read }: ChannelDefinition,
  event: WebhookEvent,
  channel: string,
): z.output<typeof Message> | undefined {
  let returned: unknown;
  try {
    returned = read(event);
  } catch (error) {
    log('error', 'the read function of a channel threw', { channel, ...whereFrom(error) });
    throw new Refusal(500, 'Not read', { detail: 'The channel cannot read this delivery.' });
  }
  if (returned === undefined || returned === null) return undefined;
  const { data, error } = Message.safeParse(returned);
  if (data && JSON.stringify(data.place ?? null).length <= MAX_PLACE) return data;
  log('error', 'the read function of a channel returned no message', {
    channel,
    why: error ? z.prettifyError(error).slice(0, 1_000) : 'place is too long',
  });
  throw new Refusal(500, 'Not read', { detail: 'The channel cannot read this delivery.' });
}
