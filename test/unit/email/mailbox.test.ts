import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MailContext, takeMail } from '../../../functions/mail/take.ts';
import { type Mailbox, startMailbox } from '../../../local/mail/mailbox.ts';
import type { Notification } from '../../../shared/email/notification.ts';
import { writtenBy } from '../../support/written.ts';

let mailbox: Mailbox;
beforeAll(async () => {
  mailbox = await startMailbox();
});
afterAll(() => mailbox.stop());

test.each([
  ['nothing', {}, 'from'],
  ['no one whom it is for', { from: 'a@b.example' }, 'to'],
  ['null', null, 'expected object'],
  ['several people', { from: 'a@b.example', to: ['c@d.example'] }, 'to'],
  ['a key that there is not', { from: 'a@b.example', to: 'c@d.example', body: 'x' }, 'body'],
  ['two lines in a header', { from: 'a@b.example\r\nBcc: x@y.example', to: 'c@d.example' }, 'one line'],
])('a mail in words with %s is refused, with what is wrong', async (_what, mail, says) => {
  const response = await fetch(`${mailbox.url}/mails`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(mail),
  });
  expect(response.status).toBe(400);
  expect(((await response.json()) as { error: string }).error).toContain(says);
});

test('a raw mail without recipients is refused, with what to add', async () => {
  const response = await fetch(`${mailbox.url}/mails`, { method: 'POST', body: 'From: a@b.example' });
  expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
    400,
    expect.stringContaining('?from=…&to=…'),
  ]);
});

test('a mail for an address that no mailbox has is dropped, and the log says why', async () => {
  const notification: Notification = {
    notificationType: 'Received',
    receipt: {
      recipients: ['unknown@acme.example'],
      action: { type: 'S3', bucketName: 'b', objectKey: 'k' },
    },
    mail: { messageId: 'm', source: 'a@b.example', timestamp: '2026-01-05T10:00:00Z' },
  };
  const config = { mailboxes: {} } as MailContext['config'];
  const lines = await writtenBy(() => takeMail(notification, { config } as MailContext));
  expect(lines).toMatchObject([{ message: 'a mail was dropped', mail: 'm', reason: 'no_mailbox' }]);
});
