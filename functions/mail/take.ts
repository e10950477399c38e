import type { EmailConfig, MailboxConfig } from '../../shared/agent/define/email.ts';
import { hash } from '../../shared/agent/plain/hash.ts';
import { TenantKeyDeleted } from '../../shared/agent/plain/tenant-key-deleted.ts';
import { EMAIL, subjectOf } from '../../shared/channels/place.ts';
import { sessionIdFor } from '../../shared/contract/ids.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { withoutLabel } from '../../shared/email/address.ts';
import { foundBy, isAllowed, isAuthentic, type Refused } from '../../shared/email/authentic.ts';
import { isAutomatic } from '../../shared/email/automatic.ts';
import type { Notification } from '../../shared/email/notification.ts';
import { type Mail, parseMail } from '../../shared/email/parse.ts';
import type { KeptMail, MailStore } from '../../shared/email/store.ts';
import { promptOf } from '../../shared/email/text.ts';
import { log } from '../../shared/logger.ts';
import { type ChannelContext, enterMessage } from '../channels/enter.ts';

export interface MailContext extends ChannelContext {
  readonly config: EmailConfig;
  readonly store: MailStore;
  /** The raw mail; undefined if it is gone, `too_large` if it has more bytes than are read. */
  readonly read: (bucket: string, key: string) => Promise<Uint8Array | 'too_large' | undefined>;
  /** Replaces the raw mail by an empty object. Absent if it may stay as SES has stored it. */
  readonly empty?: ((bucket: string, key: string) => Promise<void>) | undefined;
}

/** Most mails of one session that are answered in an hour: programs that answer each other in disguise stop here. */
const PER_HOUR = 20;

/**
 * Takes a mail that SES has received into the sessions of its mailboxes. Rejects if a later try may succeed. Where tenants have
 * keys, the raw mail, which SES cannot seal, is emptied then; its notification may come again.
 */
export async function takeMail(notification: Notification, context: MailContext): Promise<void> {
  const { bucketName, objectKey } = notification.receipt.action;
  const empty = () => context.empty?.(bucketName, objectKey);
  await take(notification, context).catch(async (error) => {
    if (error instanceof TenantKeyDeleted) await empty();
    throw error;
  });
  await empty();
}

async function take(notification: Notification, context: MailContext): Promise<void> {
  const { config, read } = context;
  const { receipt, mail: envelope } = notification;
  const { messageId } = envelope;
  const drop = (reason: Refused) => log('warn', 'a mail was dropped', { mail: messageId, reason });
  const addresses = [...new Set(receipt.recipients.map(withoutLabel))];
  const mailboxes = Object.entries(config.mailboxes).filter(([address]) => addresses.includes(address));
  if (mailboxes.length === 0) return drop('no_mailbox');
  const found = foundBy(notification);
  if (found) return drop(found);
  const raw = await read(receipt.action.bucketName, receipt.action.objectKey);
  // It is stored as long as its message may lie among the dead letters.
  if (raw === undefined) throw new Error('the stored mail is gone');
  if (raw === 'too_large') return drop('too_large');
  // It was taken before, and emptied.
  if (raw.length === 0) return;
  const mail = await parseMail(raw);
  if (typeof mail === 'string') return drop(mail);
  if (isAutomatic(mail, envelope.source, Object.keys(config.mailboxes))) return drop('automatic');
  for (const [mailbox, settings] of mailboxes) {
    const why = whyNot(notification, mail, settings);
    if (why) drop(why);
    else await enter(mail, mailbox, settings, notification, context);
  }
}

function whyNot(notification: Notification, { from }: Mail, settings: MailboxConfig): Refused | undefined {
  if (!isAllowed(from, settings)) return 'sender_not_allowed';
  const isUnsure = settings.authentication === 'required' && !isAuthentic(notification, from);
  return isUnsure ? 'unauthenticated' : undefined;
}

async function enter(
  mail: Mail,
  mailbox: string,
  { agent, tenant }: MailboxConfig,
  { mail: envelope }: Notification,
  context: MailContext,
): Promise<void> {
  const { store } = context;
  const id = mail.messageId ?? `<${envelope.messageId}@ses.invalid>`;
  const { key, isReply, before } = await threadOf({ ...mail, messageId: id }, { tenant, mailbox }, store);
  const at = Date.parse(envelope.timestamp) || context.io.clock.now();
  const isKnown = before.some((one) => one.id === id);
  if (!isKnown && before.filter((one) => one.at > at - 3_600_000).length >= PER_HOUR) {
    log('warn', 'a mail was dropped', { mail: envelope.messageId, reason: 'too_many' });
    return;
  }
  const { from, people, subject, references, filesLeftOut } = mail;
  // Before the message, because the delivery of the run's first words must find the mail that it answers.
  if (!isKnown) await store.keep(key, { id, at, from, people, subject, references, mailbox });
  await store.note({ tenant, mailbox }, id, key.sessionId);
  const text = promptOf(mail, isReply);
  const came = await enterMessage(
    {
      key,
      agent,
      place: { channel: EMAIL, thread: key.sessionId, person: subjectOf(EMAIL, from), from, place: null },
      eventId: `mail-${hash(`${mailbox} ${id}`, 32)}`,
      at,
      by: subjectOf(EMAIL, from),
      name: mail.name,
      text: text || '(The mail has no text.)',
      remarks:
        filesLeftOut > 0 ? `[${filesLeftOut} more files of this mail were left out: there are too many]` : '',
      title: subject || undefined,
      files: mail.files,
    },
    context,
  );
  if (came === 'no_agent' || came === 'taken' || came === 'gone' || came === 'conflict')
    log('error', 'a mail did not enter a session', { mail: envelope.messageId, reason: came });
}

/**
 * The session of a mail. A mail continues a thread if it names one of its mails and its sender is among the people of that thread:
 * the ids alone prove nothing, as everyone who has seen a mail knows them. Any other mail begins a session of its own.
 */
async function threadOf(
  { from, messageId, replyTo }: Pick<Mail, 'from' | 'replyTo'> & { readonly messageId: string },
  of: { readonly tenant: string; readonly mailbox: string },
  store: MailStore,
): Promise<{ readonly key: SessionKey; readonly isReply: boolean; readonly before: readonly KeptMail[] }> {
  const { tenant, mailbox } = of;
  const own = await sessionIdFor('channel', `${EMAIL} ${mailbox} ${from} ${messageId}`);
  const found = await store.find(of, replyTo);
  if (found !== undefined) {
    const key = { tenant, sessionId: found };
    const before = await store.mails(key);
    if (before.some(({ people }) => people.includes(from))) return { key, isReply: true, before };
  }
  const key = { tenant, sessionId: own };
  return { key, isReply: false, before: await store.mails(key) };
}
