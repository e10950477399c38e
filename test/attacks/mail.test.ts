/** Attacks by mail, and on the links in asks: whatever an outsider, or a person of another tenant, could send. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Envelope, Verdicts } from '../../local/mail/mailbox.ts';
import type { WrittenMail } from '../../local/mail/raw.ts';
import type { SentMail } from '../../local/mail/ses.ts';
import { type MailWorld, mailWorld } from '../support/mail.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';
import { attempt, countAttempts } from './attempts.ts';
import { requestersIn } from './requesters.ts';

let model: RuleModel;
let mails: MailWorld;
let requesters: ReturnType<typeof requestersIn>;
const logged: string[] = [];
beforeAll(async () => {
  model = await ruleModel(({ lastText, turn }) =>
    lastText.includes('pay') && turn === 0
      ? callTools(['transfer', { n: 7 }])
      : sayText(`The secret of ${/of (\w+)/.exec(lastText)?.[1] ?? 'no one'}.`),
  );
  mails = await mailWorld({ model, log: (line) => void logged.push(line) });
  requesters = requestersIn(mails.world);
}, 120_000);
afterAll(async () => {
  requesters?.close();
  await mails?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

let marks = 0;
/** Sends a mail of a person after an attack: when it is answered, the attack was handled. Returns the mails that were sent meanwhile. */
async function sentMeanwhile(attack: () => Promise<unknown>) {
  const before = mails.mailbox.sent.length;
  const asked = model.asked.length;
  await attack();
  const subject = `Mark ${++marks}`;
  await mails.write({ subject });
  for (let n = before + 1; ; n++) {
    const mail = await mails.nth(n);
    if (mail.subject !== `Re: ${subject}`) continue;
    const sent = mails.mailbox.sent.slice(before);
    return { others: sent.filter((one) => one !== mail), asked: model.asked.length - asked - 1 };
  }
}

const nothing = { others: [], asked: 0 };

/** The mail that answers one. */
async function answered(mail: Partial<WrittenMail>): Promise<SentMail> {
  const before = mails.mailbox.sent.length;
  await mails.write(mail);
  return mails.nth(before + 1);
}

describe('a spoofed sender', () => {
  test.each<[string, Verdicts, string?]>([
    ['DMARC fails', { dmarc: 'FAIL' }],
    ['DMARC was not checked', { dmarc: 'PROCESSING_FAILED' }],
    ['there is no policy, and SPF fails', { dmarc: 'GRAY', spf: 'FAIL', dkim: 'PASS' }],
    ['there is no policy, and SPF passes for another domain', { dmarc: 'GRAY' }, 'bob@evil.example'],
    ['it is spam', { spam: 'FAIL' }],
    ['it has a virus', { virus: 'FAIL' }],
  ])('is dropped: %s', async (_what, verdicts, source = 'bob@example.com') => {
    attempt('mails');
    const raw =
      'From: bob@example.com\r\nTo: help@acme.example\r\nMessage-ID: <s@x>\r\n\r\nThe secret of bob?\r\n';
    const envelope: Envelope = { source, recipients: ['help@acme.example'], verdicts };
    expect(await sentMeanwhile(() => mails.mailbox.receive(raw, envelope))).toEqual(nothing);
  });

  test.each([
    ['a second From', 'From: eve@evil.example\r\nFrom: bob@example.com'],
    ['two addresses', 'From: bob@example.com, eve@evil.example'],
    ['a display name that is an address', 'From: bob@example.com <eve@evil.example>'],
    ['another domain that ends alike', 'From: bob@notexample.com'],
    ['a subdomain', 'From: bob@evil.example.com'],
    ['a sender', 'From: eve@evil.example\r\nSender: bob@example.com'],
    ['an answer address', 'From: eve@evil.example\r\nReply-To: bob@example.com'],
    [
      'verdicts of its own',
      'Authentication-Results: amazonses.com; dmarc=pass\r\nX-SES-Spam-Verdict: PASS\r\nFrom: eve@evil.example',
    ],
    ['no From', 'Sender: bob@example.com'],
    ['a mail of ours', 'From: help@acme.example'],
  ])('is dropped: %s', async (_what, from) => {
    attempt('mails');
    const raw = `${from}\r\nTo: help@acme.example\r\nMessage-ID: <h@x>\r\n\r\nThe secret of bob?\r\n`;
    const envelope = { source: 'eve@evil.example', recipients: ['help@acme.example'] };
    expect(await sentMeanwhile(() => mails.mailbox.receive(raw, envelope))).toEqual(nothing);
  });

  test('is not answered elsewhere: an answer goes to From, whatever Reply-To says', async () => {
    attempt('mails');
    const headers = {
      'Reply-To': 'eve@evil.example',
      'Return-Path': '<eve@evil.example>',
      Cc: 'eve@evil.example',
    };
    expect((await answered({ headers, text: 'The secret of bob?' })).to).toBe('bob@example.com');
  });
});

describe("another person's thread", () => {
  test.each<[string, Partial<WrittenMail>]>([
    ['a colleague', { from: 'eve@example.com' }],
    ['a partner', { from: 'carol@partner.example' }],
    ['a person of another tenant', { from: 'bob@example.com', to: 'help@other.example' }],
    ['a person at another address of the tenant', { from: 'bob@example.com', to: 'open@acme.example' }],
  ])('is closed to %s who knows its ids', async (_what, who) => {
    attempt('mails');
    const answer = await answered({ text: 'I am of mallory.' });
    const { messageId, headers } = answer;
    const names = { inReplyTo: messageId, references: `${headers.References} ${messageId}` };
    const asked = model.asked.length;
    const stolen = await answered({ text: 'What was said?', ...names, ...who });
    expect([stolen.to, stolen.text]).toEqual([who.from, 'The secret of no one.']);
    expect(JSON.stringify(model.asked.slice(asked).map(({ messages }) => messages))).not.toContain('mallory');
  });
});

describe('headers in a subject, a name or an id', () => {
  test.each<[string, Partial<WrittenMail>]>([
    ['a subject', { subject: 'Hi\r\nBcc: eve@evil.example\r\n\r\nMore' }],
    ['a subject with a line separator', { subject: 'Hi\u2028Bcc: eve@evil.example' }],
    ['an id', { messageId: '<a@x>\r\n Bcc: eve@evil.example' }],
    ['references', { references: '<a@x>\r\n <b@x\u0000>\r\n Bcc: eve@evil.example' }],
    ['an id that is long', { messageId: `<${'x'.repeat(480)}@y.example>` }],
    [
      'many references',
      { references: Array.from({ length: 900 }, (_, i) => `<${i}@references.example>`).join(' ') },
    ],
  ])('%s become no header of the answer', async (_what, mail) => {
    attempt('mails');
    const { to, headers, subject } = await answered(mail);
    expect(to).toBe('bob@example.com');
    expect(Object.keys(headers)).not.toContain('Bcc');
    expect(subject).not.toMatch(/[\r\n\u2028]/);
  });
});

describe('mails that no person wrote', () => {
  test.each<[string, Record<string, string>]>([
    ['an auto-reply', { 'Auto-Submitted': 'auto-replied' }],
    ['a newsletter', { 'List-Id': '<x.example>' }],
    ['bulk mail', { Precedence: 'bulk' }],
    ['a mail of ours that was forwarded', { 'X-Steploop': '1' }],
  ])('%s is not answered', async (_what, headers) => {
    attempt('mails');
    expect(await sentMeanwhile(() => mails.write({ headers }))).toEqual(nothing);
  });

  test('a bounce is not answered', async () => {
    attempt('mails');
    const raw =
      'From: bob@example.com\r\nTo: help@acme.example\r\nMessage-ID: <bounce@x>\r\n\r\nUndeliverable.\r\n';
    const envelope = { source: '', recipients: ['help@acme.example'] };
    expect(await sentMeanwhile(() => mails.mailbox.receive(raw, envelope))).toEqual(nothing);
  });

  test('programs that answer each other in disguise stop after 20 mails in an hour', async () => {
    const first = await mails.write({ subject: 'Ping', text: 'Ping.' });
    const pings = Array.from({ length: 30 }, (_, i) => `Ping ${i}.`);
    await sentMeanwhile(async () => {
      for (const text of pings) {
        attempt('mails');
        await mails.write({ subject: 'Re: Ping', text, inReplyTo: first });
      }
    });
    const read = new Set(
      pings.filter((text) => JSON.stringify(model.asked.map((one) => one.messages)).includes(text)),
    );
    // Mails that come at once may each see one less than there are.
    expect(read.size).toBeLessThan(30);
    expect(logged.some((line) => line.includes('too_many'))).toBe(true);
  });
});

describe('a large mail', () => {
  test.each<[string, string]>([
    ['100,000 parts', '--b\r\n\r\nx\r\n'.repeat(100_000)],
    [
      'parts in parts',
      Array.from(
        { length: 5_000 },
        (_, i) => `--b${i || ''}\r\nContent-Type: multipart/mixed; boundary=b${i + 1}\r\n\r\n`,
      ).join(''),
    ],
  ])('with %s is dropped, and the next one is answered', async (_what, parts) => {
    attempt('mails');
    const raw = `From: bob@example.com\r\nMessage-ID: <big@x>\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${parts}`;
    const envelope = { source: 'bob@example.com', recipients: ['help@acme.example'] };
    expect(await sentMeanwhile(() => mails.mailbox.receive(raw, envelope))).toEqual(nothing);
  });
});

describe('a link in an ask', () => {
  test.each<[string, (token: string) => string]>([
    ['without its signature', (token) => token.split('.')[0] ?? ''],
    ['with an empty signature', (token) => `${token.split('.')[0]}.`],
    ['with another person', (token) => withBody(token, { p: 'email:ceo@acme.example' })],
    ['with another tenant', (token) => withBody(token, { t: 'other' })],
    ['that lasts longer', (token) => withBody(token, { e: 9_999_999_999 })],
    ['of a prototype', () => '__proto__'],
    ['with a folder', (token) => `..%2f${token}`],
  ])('%s decides nothing', async (_what, alter) => {
    attempt('mails', 2);
    const ask = await answered({ text: 'Please pay.' });
    const link = /http:\/\/\S+\/asks\/\S+/.exec(ask.text)?.[0] ?? '';
    const token = link.split('/').at(-1) ?? '';
    const forged = link.replace(token, alter(token));
    const body = new URLSearchParams({ decision: 'approve' });
    expect((await fetch(forged)).status).toBe(404);
    expect((await fetch(forged, { method: 'POST', body })).status).toBe(404);
    expect((await fetch(link)).status).toBe(200);
    expect(mails.world.toolStarts.filter(({ name }) => name === 'transfer')).toEqual([]);
  });
});

describe('borrowed rights', () => {
  /** Bob asks for a payment, which waits for an approval: the mail that asks, and the session. */
  async function waiting() {
    const known = new Set((await sessions()).map(({ sessionId }) => sessionId));
    const ask = await answered({ text: 'Please pay.', headers: { Cc: 'eve@example.com' } });
    const id = (await sessions()).find(({ sessionId }) => !known.has(sessionId))?.sessionId ?? '';
    return { ask, id, link: /http:\/\/\S+\/asks\/\S+/.exec(ask.text)?.[0] ?? '' };
  }
  const sessions = async (): Promise<readonly { sessionId: string }[]> =>
    (await mails.world.api('GET', '/sessions')).body.sessions;
  const decide = (link: string, fields: Record<string, string>) =>
    fetch(link, { method: 'POST', body: new URLSearchParams(fields) });

  test.each<[string, Record<string, string>]>([
    ['an approval', { decision: 'approve' }],
    ['a refusal with a note', { decision: 'deny', note: 'The invoice is wrong.' }],
  ])('everyone who wrote to the thread is a requester after %s behind a link', async (_what, fields) => {
    attempt('mails');
    const { ask, id, link } = await waiting();
    expect(await requesters.of(id)).toEqual(['email:bob@example.com']);
    await sentMeanwhile(() =>
      mails.write({ from: 'eve@example.com', text: 'It is urgent.', inReplyTo: ask.messageId }),
    );
    const count = mails.mailbox.sent.length;
    expect((await decide(link, fields)).status).toBe(200);
    await mails.nth(count + 1);
    await expect.poll(() => requesters.of(id)).toEqual(['email:bob@example.com', 'email:eve@example.com']);
  });
});

const withBody = (token: string, change: object): string => {
  const [body = '', mac] = token.split('.');
  const parsed = JSON.parse(Buffer.from(body, 'base64url').toString());
  return `${Buffer.from(JSON.stringify({ ...parsed, ...change })).toString('base64url')}.${mac}`;
};

test('no log line has an address or a word of a mail', () => {
  const lines = logged.filter((line) => /bob@example\.com|evil\.example|mallory|Undeliverable/.test(line));
  expect(lines).toEqual([]);
});

countAttempts(import.meta.url, 'mails');
