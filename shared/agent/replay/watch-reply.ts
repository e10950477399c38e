import { judge } from '../guardrails/judge.ts';
import { defined } from '../plain/defined.ts';
import { endUnderFlag } from '../session/made.ts';
import { callsOf, type Reply, withoutCalls } from '../session/reply.ts';
import { type Session, withRun } from '../session/session.ts';
import type { ModelSlot, StoredReply } from '../session/slots.ts';
import type { TextOnly } from '../session/verdict.ts';
import { endingByStop } from '../step/end/by-stop.ts';
import { admissible, parsed } from '../step/model/admissible.ts';
import { internal, withNudges } from '../step/model/told.ts';
import { type Heard, halted, heardAt, type Rules, type Watched } from './watched.ts';

/** A judged reply. `calls` go on to be judged; absent if the reply has none, or none of them may run. */
export interface Replied extends Watched {
  readonly reply: Reply;
  /** The reply has no calls: the guards may accept it as the answer. */
  readonly isAnswer: boolean;
}

/** A stored reply as a run with these rules reads it. */
export function replyUnder(stored: StoredReply, { pinned, tools }: Rules): Reply {
  const { model, stop, usage, read, reasoning, cutCalls, callsComplete, malformed, estimated } = stored;
  const content = stored.asReceived ?? stored.content;
  const { parsing, truncation } = pinned.guardrails;
  const reply = {
    ...{ model, stop, content, usage, calls: callsOf({ content, ...(read && { read }) }) },
    ...(read && { read }),
    ...(reasoning && { reasoning }),
    ...(cutCalls && { cutCalls }),
    ...(callsComplete && truncation.toolCalls !== 'discard' && { callsComplete }),
    ...(malformed && parsing.malformedCalls !== 'accept' && { malformed }),
    ...(estimated && { estimated }),
  };
  const names = tools.map(({ name }) => name);
  return admissible(parsed(reply, parsing, names));
}

/** Judges a reply before anything in it is carried out. */
export function watchReply(
  session: Session,
  reply: Reply,
  textOnly: TextOnly | undefined,
  rules: Rules,
): Replied {
  const judged = judge(rules.guards, 'reply', session, { reply, shrinks: () => false });
  const heard = heardAt(judged.spoken);
  const { verdict } = judged;
  const isAnswer = reply.calls.length === 0;
  if (verdict?.kind === 'halt')
    return { ...halted(judged.session, heard, verdict, rules), reply: withoutCalls(reply), isAnswer: false };
  const told = withNudges(judged.session, judged.spoken);
  if (verdict?.kind === 'skip_calls')
    return { session: told, heard, reply: withoutCalls(reply), isAnswer: false };
  return { session: told, heard, reply: textOnly ? withoutCalls(reply) : reply, isAnswer };
}

/**
 * Decides whether a reply without calls is the answer.
 *
 * @param goesOn the stored run went on after it, for a reason that these rules do not decide
 */
export function watchAnswer(
  session: Session,
  reply: Reply,
  textOnly: TextOnly | undefined,
  goesOn: boolean,
  rules: Rules,
): Watched {
  const { guards, tools, pinned } = rules;
  const known = endingByStop(reply, pinned);
  if (known?.kind === 'halt') return halted(session, [], known.halt, rules);
  if (known) return { session, heard: [] };
  if (textOnly?.ending) return halted(session, [], textOnly.ending, rules);
  if (reply.stop === 'deadline') return { session, heard: [] };

  const only = { textOnly: textOnly !== undefined, ...defined({ textOnlyFor: textOnly?.code }) };
  const judged = judge(guards, 'complete', session, { reply, ...only, tools });
  const { verdict } = judged;
  const heard = heardAt(judged.spoken);
  switch (verdict?.kind) {
    case 'halt':
      return halted(judged.session, heard, verdict, rules);
    case 'nudge':
      return {
        session: {
          ...judged.session,
          nudges: [...judged.session.nudges, internal(verdict.code, verdict.text)],
        },
        heard: heard.map((one) => sentBack(one)),
      };
    case 'flag':
    case 'check':
    case 'warn':
    case undefined: {
      if (goesOn) return { session: judged.session, heard };
      const ends = verdict?.kind === 'flag' ? endUnderFlag(verdict) : { reason: 'completed' as const };
      return { session: judged.session, heard, ending: { kind: 'complete', ...ends } };
    }
    default:
      return verdict satisfies never;
  }
}

const sentBack = (one: Heard): Heard =>
  one.verdict.kind === 'nudge' && !one.verdict.unsaid ? { ...one, sendsBack: true } : one;

/** The session with a reply counted. */
export function counted(session: Session, slot: ModelSlot & { readonly reply: StoredReply }): Session {
  const { reply } = slot;
  const { steps = 0, activeMs = 0 } = session.run ?? {};
  const { fold } = session;
  return {
    ...withRun(session, {
      steps: steps + 1,
      activeMs: activeMs + (reply.durationMs ?? 0),
      model: reply.model,
    }),
    ...(fold && { fold: { slot: fold.slot, at: fold.at } }),
  };
}
