/** Mails from SES's notification to the reply, on the embedded stack with an emulated mailbox. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SentMail } from '../../local/mail/ses.ts';
import { type MailWorld, mailWorld } from '../support/mail.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

let model: RuleModel;
let mails: MailWorld;
beforeAll(async () => {
  model = await ruleModel(({ lastText, turn, messages }) => {
    if (lastText.includes('pay') && turn === 0) return callTools(['transfer', { n: 7 }]);
    if (lastText.includes('report') && turn === 0)
      return callTools(['draft', { path: 'out/report.csv', text: 'a,b\n1,2\n' }]);
    if (turn === 1 && JSON.stringify(messages).includes('"draft"'))
      return callTools(['send_files', { paths: ['out/report.csv'] }]);
    if (lastText.includes('colour') && turn === 0)
      return callTools(['ask_user', { question: 'Which colour?' }]);
    return sayText(`You wrote: ${lastText.slice(0, 200)}`);
  });
  mails = await mailWorld({ model });
}, 120_000);
afterAll(async () => {
  await mails?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

/** The mails that are sent from now on, the first `n` of them. */
async function next(n: number, act: () => Promise<unknown>): Promise<SentMail[]> {
  const before = mails.mailbox.sent.length;
  await act();
  const sent: SentMail[] = [];
  for (let i = 1; i <= n; i++) sent.push(await mails.nth(before + i));
  return sent;
}

const linkIn = ({ text }: SentMail): string => /http:\/\/\S+\/asks\/\S+/.exec(text)?.[0] ?? '';
const post = (url: string, form: Record<string, string>) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(form) });
const sessions = async () => (await mails.world.api('GET', '/sessions')).body.sessions.length;

describe('a thread', () => {
  test('files that the agent gives are attached to its answer', async () => {
    const [answer] = await next(1, () => mails.write({ text: 'Send me the report.' }));
    expect(answer?.files).toEqual([{ name: 'report.csv', bytes: 8 }]);
  });

  test('a mail begins a session, its answer is a reply, and a reply to that continues the session', async () => {
    let first = '';
    const [answer] = await next(1, async () => {
      first = await mails.write({ subject: 'Invoice 7', text: 'Where is it?' });
    });
    expect(answer).toMatchObject({
      from: '"Acme help" <help@acme.example>',
      to: 'bob@example.com',
      subject: 'Re: Invoice 7',
      headers: { 'In-Reply-To': first, References: first, 'Auto-Submitted': 'auto-replied' },
    });
    expect(answer?.text).toContain('Where is it?');
    expect(answer?.html).toContain('Where is it?');
    const count = await sessions();
    const second = { inReplyTo: answer?.messageId ?? '', references: `${first} ${answer?.messageId}` };
    const text = `Still not here.\n\nOn Mon, Jan 5, 2026 at 10:00 AM Acme help <help@acme.example> wrote:\n> You wrote`;
    const [again] = await next(1, () => mails.write({ subject: 'Re: Invoice 7', text, ...second }));
    expect(again?.subject).toBe('Re: Invoice 7');
    expect(again?.text).toContain('Still not here.');
    expect(again?.text).not.toContain('wrote:\n');
    expect(again?.headers.References).toContain(first);
    expect(await sessions()).toBe(count);
  });

  test('a repeated notification has no second effect', async () => {
    const raw =
      'From: bob@example.com\r\nTo: help@acme.example\r\nMessage-ID: <twice@x>\r\nSubject: Twice\r\n\r\nOnce?\r\n';
    const envelope = { source: 'bob@example.com', recipients: ['help@acme.example'], id: 'same' };
    await next(1, () => mails.mailbox.receive(raw, envelope));
    const before = [mails.mailbox.sent.length, await sessions()];
    await mails.mailbox.receive(raw, envelope);
    await next(1, () => mails.write({ text: 'Another.' }));
    expect([mails.mailbox.sent.length, await sessions()]).toEqual([
      (before[0] ?? 0) + 1,
      (before[1] ?? 0) + 1,
    ]);
  });

  test('files of a mail are files of the session', async () => {
    const raw = [
      'From: bob@example.com',
      'To: help@acme.example',
      'Message-ID: <file@x>',
      'Subject: File',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Gr=FC=DFe',
      '--b',
      'Content-Type: text/csv; name="a.csv"',
      'Content-Disposition: attachment; filename="a.csv"',
      '',
      'one,two',
      '--b--',
      '',
    ].join('\r\n');
    const [answer] = await next(1, () =>
      mails.mailbox.receive(raw, { source: 'bob@example.com', recipients: ['help@acme.example'] }),
    );
    expect(answer?.text).toContain('Grüße');
    expect(JSON.stringify(model.asked.at(-1)?.messages)).toContain('a.csv');
  });
});

describe('what is asked', () => {
  test('an approval is decided once, by a form behind a link that itself changes nothing', async () => {
    const [ask] = await next(1, () => mails.write({ text: 'Please pay it.' }));
    const link = linkIn(ask as SentMail);
    expect(ask?.html).toBeUndefined();
    for (let i = 0; i < 3; i++) {
      const shown = await fetch(link);
      expect(shown.status).toBe(200);
      expect(shown.headers.get('referrer-policy')).toBe('no-referrer');
      expect(await shown.text()).toContain('<form method="post">');
    }
    expect((await fetch(link, { method: 'HEAD' })).status).not.toBe(200);
    expect((await post(link, {})).status).toBe(400);
    expect((await post(`${link.slice(0, -2)}xx`, { decision: 'approve' })).status).toBe(404);
    const [answer] = await next(1, async () => {
      expect((await post(link, { decision: 'approve', note: 'fine' })).status).toBe(200);
    });
    expect(answer?.text).toContain('You wrote');
    // A second click shows that the first one counts.
    const again = await post(link, { decision: 'approve' });
    expect([again.status, await again.text()]).toEqual([200, expect.stringContaining('It is approved.')]);
    expect((await post(link, { decision: 'deny' })).status).toBe(410);
    expect((await fetch(link)).status).toBe(410);
  });

  test('a question is answered by a reply', async () => {
    const [ask] = await next(1, () => mails.write({ text: 'Paint it in a colour.' }));
    expect(ask?.text).toContain('Which colour?');
    const [answer] = await next(1, () =>
      mails.write({ text: 'Blue.', subject: 'Re: Hello', inReplyTo: ask?.messageId ?? '' }),
    );
    expect(answer?.headers['In-Reply-To']).toBeDefined();
    expect(JSON.stringify(model.asked.at(-1)?.messages)).toContain('Blue.');
  });

  test('a question is answered behind its link', async () => {
    const [ask] = await next(1, () => mails.write({ text: 'Another colour.' }));
    await next(1, async () => {
      const sent = await post(linkIn(ask as SentMail), { decision: 'answer', answer: 'Green <b>' });
      expect(sent.status).toBe(200);
      const again = await post(linkIn(ask as SentMail), { decision: 'answer', answer: 'Red' });
      expect(await again.text()).toContain('Your first answer counts.');
    });
    expect(JSON.stringify(model.asked.at(-1)?.messages)).toContain('Green <b>');
  });
});
