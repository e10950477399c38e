import type { MailboxConfig } from '../agent/define/email.ts';
import { domainOf } from './address.ts';
import type { Notification } from './notification.ts';

/** Why a mail is dropped before anything of it reaches a session. */
export type Refused =
  | 'no_mailbox'
  | 'virus'
  | 'spam'
  | 'unauthenticated'
  | 'from_is_unclear'
  | 'sender_not_allowed'
  | 'automatic'
  | 'too_many'
  | 'unreadable'
  | 'too_large';

/**
 * Whether SES vouches for the domain in `From`.
 *
 * DMARC passes only if the domain that SPF or DKIM has verified is the one in `From` (RFC 7489, section 3.1). SPF and DKIM alone say
 * nothing about `From`: both pass for a spammer's own domain. `GRAY` means that the domain has no DMARC policy; then SPF must pass for
 * exactly the domain in `From`.
 */
export function isAuthentic(
  { receipt, mail }: Pick<Notification, 'receipt' | 'mail'>,
  from: string,
): boolean {
  const dmarc = receipt.dmarcVerdict?.status;
  if (dmarc === 'PASS') return true;
  if (dmarc !== 'GRAY') return false;
  return receipt.spfVerdict?.status === 'PASS' && domainOf(mail.source.toLowerCase()) === domainOf(from);
}

/** What SES has found in a mail; undefined if nothing. A check that SES could not carry out is no finding. */
export const foundBy = ({ receipt }: Pick<Notification, 'receipt'>): Refused | undefined =>
  receipt.virusVerdict?.status === 'FAIL'
    ? 'virus'
    : receipt.spamVerdict?.status === 'FAIL'
      ? 'spam'
      : undefined;

/** Whether a mailbox takes mail of a sender. */
export const isAllowed = (from: string, { allow }: Pick<MailboxConfig, 'allow'>): boolean =>
  allow === 'anyone' || allow.includes(from) || allow.includes(`@${domainOf(from)}`);
