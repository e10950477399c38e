import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { SessionId, Tenant } from '../contract/session.ts';

/** The content of a token. */
const Link = z.strictObject({
  /** Tenant, session and wait. */
  t: Tenant,
  s: SessionId,
  w: z.string().min(1).max(256),
  /** The subject of the person to whom it was sent. */
  p: z.string().min(1).max(400),
  /** Epoch seconds after which it is invalid. */
  e: z.int().positive(),
});

export interface DecisionLink {
  readonly tenant: string;
  readonly sessionId: string;
  readonly waitId: string;
  readonly person: string;
  /** Epoch ms. */
  readonly expiresAt: number;
}

/** Longest token that is read, in characters. */
const MAX_TOKEN = 2_000;

/** The secrets of a deployment, separated by space, the newest first: one more during a rotation. */
const keysOf = (masters: string, tenant: string): string[] =>
  masters
    .trim()
    .split(/\s+/)
    .map((master) => createHmac('sha256', master).update(`steploop decision link ${tenant}`).digest('hex'));

/** A token for a link. A tenant's tokens are signed with a key of its own. */
export function linkToken(
  { tenant, sessionId, waitId, person, expiresAt }: DecisionLink,
  masters: string,
): string {
  const e = Math.floor(expiresAt / 1_000);
  const body = Buffer.from(JSON.stringify({ t: tenant, s: sessionId, w: waitId, p: person, e })).toString(
    'base64url',
  );
  return `${body}.${macOf(body, keysOf(masters, tenant)[0] ?? '')}`;
}

/** Reads a token; `forged` if it is none of ours, `expired` if its time is over. */
export function readLink(token: string, masters: string, now: number): DecisionLink | 'forged' | 'expired' {
  const [body = '', mac = '', ...more] = token.length <= MAX_TOKEN ? token.split('.') : [];
  const link = more.length === 0 ? parsed(body) : undefined;
  if (!link) return 'forged';
  const { t: tenant, s: sessionId, w: waitId, p: person, e } = link;
  if (!keysOf(masters, tenant).some((key) => isSame(mac, macOf(body, key)))) return 'forged';
  const expiresAt = e * 1_000;
  return expiresAt <= now ? 'expired' : { tenant, sessionId, waitId, person, expiresAt };
}

const macOf = (body: string, key: string): string =>
  createHmac('sha256', key).update(body).digest('base64url');

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function parsed(body: string): z.output<typeof Link> | undefined {
  try {
    return Link.safeParse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
