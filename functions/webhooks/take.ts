import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { WebhookSource } from '../../shared/agent/define/webhook.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import { hash } from '../../shared/agent/plain/hash.ts';
import type { DeadDeliveries, DeadDelivery } from '../../shared/edge/dead-deliveries.ts';
import type { HookLog } from '../../shared/edge/hook-log.ts';
import type { IsOutage } from '../../shared/edge/outage.ts';
import { log, whereFrom } from '../../shared/logger.ts';
import { Refusal } from '../middleware/problem.ts';
import { json } from '../middleware/request.ts';
import { contentTypeOf, type Delivery, plainHeaders, type Request, requestOf } from './delivery.ts';
import { type EnterContext, type Entered, enter, type Failed, mapped, tenantOf } from './enter.ts';
import { insist } from './insist.ts';
import type { SecretsOf } from './secrets.ts';
import { verifyDelivery } from './verify.ts';

/** The ports of the webhook route. */
export interface HookContext extends EnterContext {
  readonly hookLog: HookLog;
  readonly dead: Pick<DeadDeliveries, 'bury'>;
  /** Counts a dead delivery for operators. */
  readonly countDead: () => void;
  readonly isOutage: IsOutage;
  readonly secretsOf: SecretsOf;
  readonly webhooks: Readonly<Record<string, WebhookSource>>;
}

/**
 * `POST /hooks/{source}`: a delivery, verified over the raw bytes, mapped to an agent's session, accepted once.
 *
 * @param deadlineAt epoch ms at which the function is killed: until then it retries through an outage
 */
export async function takeDelivery(event: APIGatewayProxyEventV2, context: HookContext, deadlineAt = 0) {
  const { io, webhooks, isOutage } = context;
  const name = event.pathParameters?.source ?? '';
  const source = Object.hasOwn(webhooks, name) ? webhooks[name] : undefined;
  if (!source) {
    throw new Refusal(404, 'No such webhook', { detail: `No webhook "${name}" is declared.` });
  }
  const request = requestOf(event, io.clock.now());
  if (request.method === 'GET') return answerGet(source, request, context);
  // The gateway's time is used, since it does not include a cold start.
  const at = event.requestContext?.timeEpoch ?? request.at;
  return insist(() => take({ name, source, request, at }, context), deadlineAt, {
    isOutage,
    clock: io.clock,
  });
}

/** A GET never carries a delivery: it is a challenge, or nothing. */
async function answerGet(source: WebhookSource, request: Request, { secretsOf }: HookContext) {
  const { secret } = source.verify;
  const secrets = source.challenge && secret !== undefined ? await secretsOf(secret) : [];
  const answered = await answeredAs(source, request, false, secrets);
  if (answered) return answered;
  throw new Refusal(404, 'No such challenge', { detail: 'Send deliveries with POST.' });
}

/** The answer to a challenge. Few sources declare any, so a cold start does not load the code for them. */
const answeredAs = async (source: WebhookSource, ...asked: [Request, boolean, readonly string[]]) =>
  source.challenge && (await import('./challenge.ts')).answerChallenge(source, ...asked);

/** A request for a source. */
interface Coming {
  readonly name: string;
  readonly source: WebhookSource;
  readonly request: Request;
  /** Epoch ms. */
  readonly at: number;
}

/** Safe to repeat: a repeat is a duplicate of the first. */
async function take({ name, source, request, at }: Coming, context: HookContext) {
  const { hookLog } = context;
  const { secret } = source.verify;
  const secrets = secret === undefined ? [] : await context.secretsOf(secret);
  const opened = await open(source, request, secrets, context);
  if ('answered' in opened) return opened.answered;
  const { key: id, signed, ...delivery } = opened.delivery;
  const headers = plainHeaders(request, secrets);
  const does = mapped(source, { ...delivery, headers });
  if (does.kind === 'ignored') return json(200, { ignored: delivery.name });

  const { body } = request;
  // The log is the source's and not the woken tenant's: a captured delivery cannot be repeated by way of another tenant.
  const { tenant: owner } = source;
  const noted = await hookLog.note({ tenant: owner, source: name, id, body, ...defined({ signed }) });
  const tenant = tenantOf(source, does);
  if (noted === 'conflict') {
    log('warn', 'a webhook came again with another body', { source: name, tenant });
    return json(200, { duplicate: true, conflict: true });
  }
  if (noted === 'replay') {
    log('warn', 'a webhook came again under another id, which its sender does not sign', {
      source: name,
      tenant,
    });
    return json(200, { duplicate: true, replay: true });
  }
  const coming = { tenant, source: name, eventId: `${name}-${hash(id)}`, at };
  const entered = does.kind === 'failed' ? does : await enter(coming, does.wakeup, context);
  if (entered.kind === 'entered') return answer(entered);
  const { name: kind, deliveryId } = delivery;
  const dead = { ...coming, name: kind, deliveryId, id: hash(`${name} ${id}`) };
  return bury(dead, { ...request, headers }, entered, context);
}

/** The verified delivery, or the answer if the request is the sender's check of the URL. Refuses anything else. */
async function open(
  source: WebhookSource,
  request: Request,
  secrets: readonly string[],
  { isOutage }: Pick<HookContext, 'isOutage'>,
): Promise<{ readonly delivery: Delivery } | { readonly answered: APIGatewayProxyStructuredResultV2 }> {
  const delivery = verifyDelivery(request, secrets, source.verify, isOutage);
  if (!source.challenge) return { delivery: await delivery };
  const verified = await delivery.catch((error: unknown) => {
    if (error instanceof Refusal) return error;
    throw error;
  });
  const refused = verified instanceof Refusal;
  const answered = await answeredAs(source, request, !refused, secrets);
  if (answered) return { answered };
  if (refused) throw verified;
  return { delivery: verified };
}

/** Stores a delivery that failed in this deployment's own code: a retry by its sender would fail again, and GitHub does not retry at all. */
async function bury(
  delivery: Omit<DeadDelivery, 'reason' | 'detail' | 'bytes'>,
  request: Request,
  { reason, detail, error }: Failed,
  { dead, countDead }: HookContext,
) {
  const { body, headers } = request;
  const contentType = contentTypeOf(request);
  await dead.bury(
    { ...delivery, reason, detail, bytes: body.byteLength },
    { text: body.toString('utf8'), contentType, headers },
  );
  const { tenant, source, id } = delivery;
  const where = error === undefined ? {} : whereFrom(error);
  log('error', 'a webhook’s delivery is dead: it is kept', { tenant, source, dead: id, reason, ...where });
  countDead();
  return json(202, { kept: id });
}

function answer({ accepted, sessionId }: Extract<Entered, { kind: 'entered' }>) {
  switch (accepted) {
    case 'accepted':
      return json(202, { sessionId, duplicate: false });
    case 'duplicate':
      return json(200, { sessionId, duplicate: true });
    // The mapping has changed since the first delivery, and now returns a different text.
    case 'conflict':
      return json(200, { sessionId, duplicate: true, conflict: true });
    default:
      return accepted satisfies never;
  }
}
