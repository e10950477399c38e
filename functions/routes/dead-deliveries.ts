import {
  type DeadCursor,
  DeadDeliveryId,
  DeadQuery,
  MAX_SHOWN_BODY,
  RedriveBody,
  writeDeadCursor,
} from '../../shared/contract/dead-deliveries.ts';
import type { DeadBody, DeadDelivery } from '../../shared/edge/dead-deliveries.ts';
import { log } from '../../shared/logger.ts';
import { requireAdmin } from '../middleware/authorize.ts';
import { parseOr400, Refusal } from '../middleware/problem.ts';
import { json, jsonBody } from '../middleware/request.ts';
import { payloadIn } from '../webhooks/delivery.ts';
import { type Entered, enter, type Failed, mapped, tenantOf } from '../webhooks/enter.ts';
import type { Route, RouteContext } from './context.ts';

/** Time in ms for redriving many: the function has 29 s, and each redrive that has begun is finished. */
const REDRIVE_MS = 20_000;

const MAX_REDRIVE_BODY_BYTES = 4 * 1024;

/** `GET /hooks/dead`: the tenant's deliveries that could not be carried out, oldest first. */
export const listDead: Route = async (event, caller, { dead }) => {
  requireAdmin(caller);
  const { source, after, limit } = parseOr400(DeadQuery, event.queryStringParameters ?? {}, 'query');
  const all = from(await dead.list(caller.tenant), source, after);
  const shown = all.slice(0, limit);
  const last = all.length > shown.length ? shown.at(-1) : undefined;
  return json(200, { deliveries: shown.map(toAnswer), ...(last && { next: writeDeadCursor(last) }) });
};

/** `GET /hooks/dead/{deliveryId}`: one of them, with its payload. */
export const readDead: Route = async (event, caller, { dead }) => {
  requireAdmin(caller);
  const found = await dead.read(caller.tenant, idOf(event.pathParameters?.deliveryId));
  if (!found) throw noSuchDelivery();
  const { text, contentType } = found.body;
  const body = text.slice(0, MAX_SHOWN_BODY).toWellFormed();
  const cut = text.length > MAX_SHOWN_BODY;
  return json(200, { ...toAnswer(found.dead), contentType, body, ...(cut && { bodyCut: true }) });
};

/**
 * `POST /hooks/dead/{deliveryId}/redrive`: runs the mapping that is deployed now. The signature was verified on arrival and is
 * not checked again.
 */
export const redriveDead: Route = async (event, caller, context) => {
  requireAdmin(caller);
  const found = await context.dead.read(caller.tenant, idOf(event.pathParameters?.deliveryId));
  if (!found) throw noSuchDelivery();
  const redriven = await redrive(found, context);
  if (redriven.kind === 'failed') {
    const { reason, detail } = redriven;
    throw new Refusal(409, 'It failed again', { detail, errors: [{ path: 'reason', message: reason }] });
  }
  if (redriven.kind === 'ignored') return json(200, { ignored: found.dead.name });
  const { sessionId, accepted } = redriven;
  return json(202, { sessionId, duplicate: accepted !== 'accepted' });
};

/** `POST /hooks/dead/redrive`: redrives as many as time allows, in order of arrival. Call again with `next`. */
export const redriveAllDead: Route = async (event, caller, context) => {
  requireAdmin(caller);
  const asked = event.body ? jsonBody(event, RedriveBody, MAX_REDRIVE_BODY_BYTES) : {};
  const { dead, io } = context;
  const waiting = from(await dead.list(caller.tenant), asked.source, asked.after);
  const until = io.clock.now() + REDRIVE_MS;
  const failed: { id: string; reason: string; detail: string }[] = [];
  let tried = 0;
  for (const { id } of waiting) {
    if (io.clock.now() >= until) break;
    tried += 1;
    const found = await dead.read(caller.tenant, id);
    const redriven = found && (await redrive(found, context));
    if (redriven?.kind === 'failed') failed.push({ id, reason: redriven.reason, detail: redriven.detail });
  }
  const last = tried < waiting.length ? waiting[tried - 1] : undefined;
  return json(200, { redriven: tried - failed.length, failed, ...(last && { next: writeDeadCursor(last) }) });
};

async function redrive(
  { dead, body }: { readonly dead: DeadDelivery; readonly body: DeadBody },
  context: RouteContext,
): Promise<Entered | { readonly kind: 'ignored' }> {
  const { tenant, id, source: name, deliveryId } = dead;
  const source = Object.hasOwn(context.webhooks, name) ? context.webhooks[name] : undefined;
  const payload = payloadIn(body.text, body.contentType);
  const event = { name: dead.name, deliveryId, headers: body.headers ?? {}, payload };
  const does = source ? mapped(source, event) : noSuchSource(name);
  const target = source && tenantOf(source, does);
  const isTheirs = tenant === source?.tenant || tenant === target;
  const may = isTheirs ? does : noSuchSource(name);
  const redriven =
    may.kind === 'wakeup' ? await enter({ ...dead, tenant: target ?? tenant }, may.wakeup, context) : may;
  if (redriven.kind === 'failed') {
    await context.dead.failedAgain(tenant, id, redriven);
    return redriven;
  }
  await context.dead.settle(tenant, id);
  log('info', 'a dead delivery was redriven', { tenant, source: name, dead: id, became: redriven.kind });
  return redriven;
}

const noSuchSource = (name: string): Failed => ({
  kind: 'failed',
  reason: 'unknown_source',
  detail: `The webhook "${name}" is no longer declared for this tenant.`,
});

/** Deliveries of a source after a cursor. */
function from(
  all: readonly DeadDelivery[],
  source: string | undefined,
  after: DeadCursor | undefined,
): DeadDelivery[] {
  const isAfter = ({ at, id }: DeadCursor) => !after || at > after.at || (at === after.at && id > after.id);
  return all.filter((one) => isAfter(one) && (source === undefined || one.source === source));
}

function idOf(text: string | undefined): string {
  const id = DeadDeliveryId.safeParse(text);
  if (!id.success) throw noSuchDelivery();
  return id.data;
}

const noSuchDelivery = (): Refusal =>
  new Refusal(404, 'No such delivery', { detail: 'GET /hooks/dead lists those that there are.' });

const toAnswer = ({ id, source, name, deliveryId, at, reason, detail, bytes }: DeadDelivery) => ({
  ...{ id, source, name, deliveryId, reason, detail, bytes },
  at: new Date(at).toISOString(),
});
