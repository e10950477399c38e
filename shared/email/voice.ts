import type { ChannelAnswer } from '../agent/define/channel.ts';
import type { EmailConfig } from '../agent/define/email.ts';
import type { DecisionRule } from '../agent/define/may-decide.ts';
import { own } from '../agent/plain/merge.ts';
import { type Asked, type Turn, Unreachable, type Voice } from '../channels/voice.ts';
import { isAddress } from './address.ts';
import { attached } from './attached.ts';
import { replyTo } from './reply.ts';
import type { OutgoingMail, SendMail } from './send.ts';
import type { KeptMail, MailStore } from './store.ts';
import { toHtml } from './to-html.ts';

export interface EmailVoiceOptions {
  readonly store: MailStore;
  readonly send: SendMail;
  readonly config: EmailConfig;
  readonly agents: readonly DecisionRule[];
  /** Whether an agent, by its name, has the tool with which it gives files to people. */
  readonly givesFiles: (agent: string) => boolean;
  /** Notified when SES will not send a mail at a later try either. */
  readonly onRefused: (facts: Readonly<Record<string, string>>) => void;
}

/** Characters of one mail. SES allows 40 MB, which no person reads. */
const MAX_BODY = 200_000;
/** Deciders who are asked by mail at once. */
const MAX_DECIDERS = 10;

/** Answers mails, in their threads. */
export function emailVoice(options: EmailVoiceOptions): Voice {
  const { store, send, config, agents, givesFiles, onRefused } = options;

  async function mail(
    turn: Turn,
    to: string | undefined,
    text: string,
    { html, files = [] }: Pick<OutgoingMail, 'html' | 'files'> = {},
  ): Promise<void> {
    const { key } = turn;
    const last = (await store.mails(key)).at(-1);
    if (!last) throw new Unreachable();
    const { name } = own(config.mailboxes, last.mailbox) ?? {};
    const written = replyTo(last, { to: to ?? last.from, text: cut(text), html, name });
    const sent = await send({ ...written, files }, turn.signal);
    if (sent.kind === 'refused') {
      onRefused({ ...key, error: sent.error });
      throw new Unreachable();
    }
    await store.note({ tenant: key.tenant, mailbox: last.mailbox }, sent.id, key.sessionId);
  }

  /** The people whom an agent's approvals or questions are for, if it names any by their addresses. Undefined if it names none. */
  function namedFor(agent: string, { reason }: Asked): readonly string[] | undefined {
    const { approvals } = agents.find(({ name }) => name === agent) ?? {};
    const names = (reason === 'question' ? approvals?.answerers : approvals?.deciders) ?? [];
    if (names.length === 0) return undefined;
    return names
      .flatMap((name) => (name.startsWith('email:') ? [name.slice('email:'.length)] : []))
      .filter(isAddress)
      .slice(0, MAX_DECIDERS);
  }

  return {
    // An ask is shown as it is written, never as HTML: the arguments of a call could disguise a link in it.
    async ask(asked, turn) {
      const named = namedFor(turn.agent, asked);
      const { from } = (await store.mails(turn.key)).at(-1) ?? ({} as Partial<KeptMail>);
      if (from === undefined) throw new Unreachable();
      const people = named ?? [from];
      for (const person of people) {
        const link = await turn.linkFor(`email:${person}`, asked);
        await mail(turn, person, askText(asked, link));
      }
      if (!people.includes(from)) await mail(turn, undefined, waitText(asked));
    },
    async answer(answer, turn) {
      const given = givesFiles(turn.agent) ? await answer.files() : [];
      const { files, leftOut } = await attached(given);
      const text = [answerText(answer), ...leftOut].join('\n\n');
      await mail(turn, undefined, text, { html: toHtml(text), files });
    },
  };
}

const cut = (text: string): string =>
  text.length <= MAX_BODY
    ? text
    : `${text.slice(0, MAX_BODY).toWellFormed()}\n[cut: the whole has ${text.length} characters]`;

function askText({ reason, question, text, expiresAt }: Asked, link: string): string {
  const isQuestion = reason === 'question';
  return [
    text,
    question,
    isQuestion
      ? `Answer this mail, or answer here:\n${link}`
      : `To approve or deny it, open this page. Nothing is decided before you choose there:\n${link}`,
    'Do not forward this mail: a holder of the link decides in your name.',
    expiresAt
      ? `It counts as ${isQuestion ? 'unanswered' : 'denied'} after ${expiresAt.slice(0, 16).replace('T', ' ')} UTC.`
      : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const waitText = ({ reason, text }: Asked): string =>
  [
    text,
    reason === 'question'
      ? 'This waits for an answer of another person.'
      : 'This waits for the approval of another person.',
  ]
    .filter((part) => part !== '')
    .join('\n\n');

function answerText({ text, state, reason }: ChannelAnswer): string {
  if (text.trim() !== '') return text;
  return state === 'completed'
    ? 'This is done. There is nothing more to say about it.'
    : `This did not come to an answer (${state}: ${reason}). Answer this mail to try again.`;
}
