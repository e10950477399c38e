import { describe, expect, test } from 'vitest';
import type { ChannelFile } from '../../../shared/agent/define/channel.ts';
import type { DecisionRule } from '../../../shared/agent/define/may-decide.ts';
import type { Asked, Turn } from '../../../shared/channels/voice.ts';
import { Unreachable } from '../../../shared/channels/voice.ts';
import type { OutgoingMail } from '../../../shared/email/send.ts';
import type { KeptMail } from '../../../shared/email/store.ts';
import { emailVoice } from '../../../shared/email/voice.ts';

const MAILBOX = 'help@acme.example';
const first: KeptMail = {
  ...{ id: '<m1@x.example>', at: 1, from: 'bob@acme.example', people: [], subject: 'Pay it' },
  ...{ references: [], mailbox: MAILBOX },
};
const approval: Asked = { id: 'a1', waitId: 'w1', reason: 'approval', question: 'Pay 7 EUR?', text: '' };
const question: Asked = { ...approval, reason: 'question', question: 'Which account?' };
const turn: Turn = {
  key: { tenant: 'acme', sessionId: 's1' },
  agent: 'payer',
  at: { channel: 'email', address: MAILBOX },
  linkFor: async (person: string, { waitId }: Asked) => `https://acme.example/asks/${waitId}?by=${person}`,
  signal: new AbortController().signal,
} as unknown as Turn;

/** The mails that an ask or an answer sends, by an agent with these settings. */
async function sentBy(
  approvals: Partial<DecisionRule['approvals']>,
  say: (voice: ReturnType<typeof emailVoice>) => Promise<void>,
  mails: readonly KeptMail[] = [first],
): Promise<OutgoingMail[]> {
  const sent: OutgoingMail[] = [];
  const voice = emailVoice({
    store: {
      mails: async () => [...mails],
      note: async () => {},
      find: async () => undefined,
      keep: async () => {},
    },
    send: async (mail) => {
      sent.push(mail);
      return { kind: 'sent', id: `<${sent.length}@email.amazonses.com>` };
    },
    config: { mailboxes: { [MAILBOX]: { agent: 'payer' } } } as never,
    agents: [{ name: 'payer', approvals: approvals as DecisionRule['approvals'] }],
    givesFiles: (name) => name === 'payer',
    onRefused: () => {},
  });
  await say(voice);
  return sent;
}

const done = { id: 'e1', state: 'completed', reason: 'completed', text: 'Here it is.' };

const deciders = ['email:carol@acme.example', 'user:dave', 'email:erin@acme.example', 'email:no address'];

test('deciders whom the agent names by address are asked, each with a link of their own; the writer is told that it waits', async () => {
  const sent = await sentBy({ deciders }, (voice) => voice.ask(approval, turn));
  expect(sent.map(({ to }) => to)).toEqual(['carol@acme.example', 'erin@acme.example', 'bob@acme.example']);
  for (const { to, text } of sent.slice(0, 2)) expect(text).toContain(`/asks/w1?by=email:${to}`);
  const [, , told] = sent;
  expect(told?.text).toContain('This waits for the approval of another person.');
  expect(told?.text).not.toContain('/asks/');
});

test('a question goes to the named answerers, and not to deciders', async () => {
  const answerers = ['email:erin@acme.example'];
  const sent = await sentBy({ deciders, answerers }, (voice) => voice.ask(question, turn));
  expect(sent.map(({ to }) => to)).toEqual(['erin@acme.example', 'bob@acme.example']);
});

test('a writer who is a decider is asked, and told nothing else', async () => {
  const sent = await sentBy({ deciders: ['email:bob@acme.example'] }, (voice) => voice.ask(approval, turn));
  expect(sent.map(({ to }) => to)).toEqual(['bob@acme.example']);
  expect(sent[0]?.text).toContain('/asks/w1?by=email:bob@acme.example');
});

test('without named people, the writer of the last mail is asked', async () => {
  const last = { ...first, id: '<m2@x.example>', from: 'zoe@acme.example' };
  const sent = await sentBy({}, (voice) => voice.ask(approval, turn), [first, last]);
  expect(sent.map(({ to }) => to)).toEqual(['zoe@acme.example']);
});

test('deciders without an address of mail are asked elsewhere, and the writer is told that it waits', async () => {
  const sent = await sentBy({ deciders: ['user:dave'] }, (voice) => voice.ask(approval, turn));
  expect(sent.map(({ to, text }) => [to, text.includes('/asks/')])).toEqual([['bob@acme.example', false]]);
});

test('at most ten people are asked at once', async () => {
  const many = Array.from({ length: 14 }, (_, n) => `email:p${n}@acme.example`);
  expect(await sentBy({ deciders: many }, (voice) => voice.ask(approval, turn))).toHaveLength(11);
});

test('a session without a mail cannot be reached, and is not tried again', async () => {
  await expect(sentBy({}, (voice) => voice.ask(approval, turn), [])).rejects.toThrow(Unreachable);
});

test('an answer has HTML beside its text; an ask has none, as arguments of its call could disguise a link', async () => {
  const disguised = { ...approval, question: 'Pay [7 EUR](https://evil.example)?' };
  const asked = await sentBy({}, (voice) => voice.ask(disguised, turn));
  expect(asked.map(({ html }) => html)).toEqual([undefined]);
  const answer = { ...done, text: '**Paid.**', files: async () => [] };
  const answered = await sentBy({}, (voice) => voice.answer(answer, turn));
  expect(answered[0]?.text).toBe('**Paid.**');
  expect(answered[0]?.html).toContain('<strong>Paid.</strong>');
});

describe('the files of a run', () => {
  const file = (name: string, content: string | undefined = name, bytes = content.length): ChannelFile => ({
    ...{ name, bytes },
    read: async () => (content === '' ? undefined : new TextEncoder().encode(content)),
  });
  const answeredWith = async (given: readonly ChannelFile[]) => {
    const [mail] = await sentBy({}, (voice) => voice.answer({ ...done, files: async () => given }, turn));
    return { text: mail?.text, names: mail?.files?.map(({ name }) => name) };
  };

  test('are attached to its answer', async () => {
    expect(await answeredWith([file('report.pdf'), file('sums.csv')])).toEqual({
      text: 'Here it is.',
      names: ['report.pdf', 'sums.csv'],
    });
  });

  test.each([
    ['run.EXE', 'mails may not have files of the type .exe'],
    ['large.zip', 'the mail would be too large'],
    ['gone.txt', 'it can no longer be read'],
  ])('are named in the answer if mails cannot have them: %s', async (name, why) => {
    const bad =
      name === 'gone.txt' ? file(name, '') : file(name, name, name === 'large.zip' ? 20_000_001 : 5);
    const { text, names } = await answeredWith([bad, file('fine.txt')]);
    expect(names).toEqual(['fine.txt']);
    expect(text).toBe(`Here it is.\n\n[${name} is not attached: ${why}.]`);
  });

  test('count together against the size of a mail', async () => {
    const half = (name: string) => file(name, name, 11_000_000);
    expect(
      (
        await answeredWith([
          { ...half('a.bin'), read: async () => new Uint8Array(11_000_000) },
          half('b.bin'),
        ])
      ).names,
    ).toEqual(['a.bin']);
  });

  test('have a name with an extension, which SES asks for', async () => {
    expect((await answeredWith([file('Makefile')])).names).toEqual(['Makefile.txt']);
  });

  test('that cannot be read now make the answer come back', async () => {
    const failing = { ...file('a.txt'), read: () => Promise.reject(new Error('SlowDown')) };
    await expect(answeredWith([failing])).rejects.toThrow('SlowDown');
  });
});
