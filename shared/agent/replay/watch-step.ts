import type { StepSlots } from '../events/steps.ts';
import { charge } from '../session/charge.ts';
import { totalsOf } from '../session/cost.ts';
import type { Session } from '../session/session.ts';
import type { ModelSlot, StoredReply } from '../session/slots.ts';
import { watchCalls } from './watch-calls.ts';
import { counted, replyUnder, watchAnswer, watchReply } from './watch-reply.ts';
import { watchInput, watchPreflight } from './watch-request.ts';
import type { Before, Heard, Rules, Watched } from './watched.ts';

/** A stored step, and how the stored run went on. */
export interface Stored extends StepSlots {
  /** The run went on after an answer for a reason that no preset decides. */
  readonly goesOn: boolean;
  /** The reply before was paused at its server: the step tells the model nothing. */
  readonly resumes: boolean;
}

/** Lets the guards of a replay watch one stored step, stage by stage in the order of `step/step.ts`. Pure. */
export function watchStep(before: Before, stored: Stored, rules: Rules): Watched {
  const { asked, ran } = stored;
  const heard: Heard[] = [];
  const hear = <W extends Pick<Watched, 'heard'>>(watched: W): W => {
    heard.push(...watched.heard);
    return watched;
  };
  const admitted = hear(watchPreflight(before, asked, rules));
  if (admitted.ending) return { ...admitted, heard, unasked: true };
  const { textOnly } = admitted;
  const of = { session: admitted.session, history: before.history };
  const { session: told } = stored.resumes ? of : hear(watchInput(of, asked, textOnly, rules));
  const paid = asked.lost ? charge(told, asked.lost) : told;
  if (!hasReply(asked) || asked.reply.stop === 'interrupted') return { session: paid, heard };

  const reply = replyUnder(asked.reply, rules);
  const judged = hear(watchReply(bought(paid, asked), reply, textOnly, rules));
  if (judged.ending) return { ...judged, heard };
  if (judged.reply.calls.length > 0) {
    const watched = hear(watchCalls(judged.session, judged.reply.calls, ran, rules));
    return { ...watched, heard };
  }
  if (!judged.isAnswer) return { session: judged.session, heard };
  const answered = hear(watchAnswer(judged.session, judged.reply, textOnly, stored.goesOn, rules));
  return { ...answered, heard };
}

type RepliedSlot = ModelSlot & { readonly reply: StoredReply };
export const hasReply = (slot: ModelSlot): slot is RepliedSlot => slot.reply !== undefined;

/** The session with a reply counted and paid. */
const bought = (session: Session, slot: RepliedSlot): Session => {
  const { usage, aside, estimated } = slot.reply;
  const billing = aside && { aside };
  const used = { usage, ...(estimated && { estimated }), ...(billing && { billing }) };
  return counted(charge(session, totalsOf(used, slot.reply)), slot);
};
