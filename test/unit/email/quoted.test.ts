import { describe, expect, test } from 'vitest';
import { withoutQuoted } from '../../../shared/email/quoted.ts';

const old = 'And here is the old mail.';

/** Forms of quoted histories, most of them from reports about other programs that read replies. */
test.each<[string, string, string]>([
  // github/email_reply_parser issue 40: Yahoo does not mark the lines of the quote.
  ['Yahoo', `Yes.\n\nOn Tuesday, February 10, 2015 4:25 PM, Acme <a@acme.example> wrote:\n\n${old}`, 'Yes.'],
  [
    'Gmail',
    `Yes.\n\nOn Mon, Jan 5, 2026 at 10:00 AM Acme <a@acme.example> wrote:\n\n> ${old}\n> More`,
    'Yes.',
  ],
  // getmunin/munin pull 854: the line wraps inside the address, and a signature stands below the quote.
  [
    'Gmail in Norwegian, wrapped, with a signature below',
    `Ja.\n\nons. 26. aug. 2026 kl. 14:05 skrev Acme <a@acme.example\n>:\n\n> ${old}\n\n-- \nOla`,
    'Ja.\n\n\n-- \nOla',
  ],
  [
    'Gmail in French',
    `Oui.\n\nLe lun. 5 janv. 2026 à 10:00, Acme <a@acme.example> a écrit :\n> ${old}`,
    'Oui.',
  ],
  [
    'Gmail in German',
    `Ja.\n\nAm Mo., 5. Jan. 2026 um 10:00 Uhr schrieb Acme <a@acme.example>:\n> ${old}`,
    'Ja.',
  ],
  ['Gmail in Japanese', `はい\n\n2026年1月5日(月) 10:00 Acme <a@acme.example>:\n> ${old}`, 'はい'],
  [
    'Apple Mail',
    `Yes.\n\n> On 6 Oct 2015, at 21:36, Acme <a@acme.example> wrote:\n> \n> ${old}`,
    `Yes.\n\n> On 6 Oct 2015, at 21:36, Acme <a@acme.example> wrote:\n> \n> ${old}`,
  ],
  [
    'Outlook',
    `OK\n\n________________________________\nFrom: Acme <a@acme.example>\nSent: Monday\nTo: Bob\nSubject: Re: x\n\n${old}`,
    'OK',
  ],
  [
    'Outlook in German',
    `OK\n\nVon: Acme <a@acme.example>\nGesendet: Montag, 1. Juni 2026 10:00\nAn: Bob\nBetreff: AW: x\n\n${old}`,
    'OK',
  ],
  // twentyhq/twenty pull 25561.
  [
    'Outlook in Danish',
    `OK\n\nFra: Acme <a@acme.example>\nSendt: mandag\nTil: Bob\nEmne: Re\n\n${old}`,
    'OK',
  ],
  [
    'an original message',
    `Thanks\n\n-----Original Message-----\nFrom: a\nSent: b\nTo: c\nSubject: d\n\n${old}`,
    'Thanks',
  ],
  [
    'answers between the lines',
    `Hi\n\nOn 5 Jan 2026, at 10:00, A <a@b.example> wrote:\n> When?\nMonday\n> Where?\nHere`,
    `Hi\n\nOn 5 Jan 2026, at 10:00, A <a@b.example> wrote:\n> When?\nMonday\n> Where?\nHere`,
  ],
  [
    'an answer below the quote',
    `On 5 Jan 2026, at 10:00, A <a@b.example> wrote:\n> When?\n\nMonday`,
    'Monday',
  ],
  // nylas/sync-engine issue 84: a forwarded mail is what the person sends.
  [
    'a forwarded mail',
    `Look at this.\n\n---------- Forwarded message ---------\nFrom: C <c@d.example>\nDate: Mon, 5 Jan 2026\nSubject: x\nTo: B\n\n${old}`,
    `Look at this.\n\n---------- Forwarded message ---------\nFrom: C <c@d.example>\nDate: Mon, 5 Jan 2026\nSubject: x\nTo: B\n\n${old}`,
  ],
  ['prose that looks like one', 'As we wrote:\nthe plan is done.', 'As we wrote:\nthe plan is done.'],
  ['prose with a From: line', 'From: Berlin\nPlease send it.', 'From: Berlin\nPlease send it.'],
  [
    'only a quote',
    `On 5 Jan 2026, at 10:00, A <a@b.example> wrote:\n> ${old}`,
    `On 5 Jan 2026, at 10:00, A <a@b.example> wrote:\n> ${old}`,
  ],
  ['nothing', '', ''],
])('%s', (_what, text, own) => {
  expect(withoutQuoted(text)).toBe(own);
  expect(withoutQuoted(text.replaceAll('\n', '\r\n')).replaceAll('\r', '')).toBe(own);
});

describe('long mails', () => {
  test.each([
    ['empty lines', '\n'.repeat(200_000)],
    ['the word On', 'On a '.repeat(50_000)],
    ['lines that could begin a quote', 'On 1 Jan 2026 a\n'.repeat(20_000)],
    ['marks', '> '.repeat(100_000)],
    ['rules', `${'_'.repeat(1_000)}\n`.repeat(500)],
    ['fields', 'From: a\n'.repeat(20_000)],
  ])('of %s end', (_what, text) => {
    // email-reply-parser 2.3.9 without re2 takes 325 s for 100,000 empty lines; a test with such a cost times out.
    expect(withoutQuoted(`Yes.\n${text}`).startsWith('Yes.')).toBe(true);
  });
});
