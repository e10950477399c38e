/** Invariant 11, counters (G3): HEAD and events agree with what the servers have served. Checked at commits. */

import type { Totals } from '../../../shared/contract/session.ts';
import type { Checks } from '../ledger.ts';
import { type Account, runBooks, usdOf } from '../served.ts';
import type { Committed } from './commits.ts';

export const counterChecks: Checks<Committed> = {
  '11 every kept reply was served': ({ slots, facts: { served } }) => {
    for (const slot of slots) {
      if (slot?.kind !== 'model' || !slot.reply) continue;
      const reply = served.replies.get(slot.reply.messageId);
      if (!reply) return `no server has sent ${slot.reply.messageId}`;
      const whole = reply.stop === 'end_turn' || reply.stop === 'tool_use';
      const kept = JSON.stringify(slot.reply.asReceived ?? slot.reply.content);
      // Calls in a summary are left out; a truncated or refused reply is kept in part.
      if (whole && !reply.textOnly && kept !== reply.content) return `kept ${kept}, served ${reply.content}`;
    }
    return undefined;
  },

  '11 steps and calls are as many as were served': ({ after, facts }) => {
    const { run } = after.session;
    if (!run) return undefined;
    const { steps, toolCalls } = runBooks(facts.served, run.id);
    return run.steps !== steps || run.toolCalls !== toolCalls
      ? `${run.id} counts ${run.steps} steps and ${run.toolCalls} calls; served were ${steps} and ${toolCalls}`
      : undefined;
  },

  '11 a run’s totals are what its servers have sold': ({ after, facts }) => {
    const { run } = after.session;
    return run && differ(run.totals, withChildren(runBooks(facts.served, run.id), run.delegated), run.id);
  },

  '11 a session’s totals are what its servers have sold': ({ after, facts }) =>
    differ(after.session.totals, withChildren(facts.served.total, facts.delegated), 'the session'),

  // Approximate, because the size of a next request is unknown if there is none.
  '11 lost model calls are charged': ({ slots, after, facts, claim }) => {
    const models = slots.flatMap((slot) => (slot?.kind === 'model' ? slot : []));
    if (
      models.some(({ reply, fold, assessment }) => reply ?? fold?.summary ?? assessment?.bought) ||
      (models.length === 0 && !after.session.run?.ended)
    )
      return undefined;
    // A fold or an assessment of a dead owner is kept as it is, as a reply is. It accounts for the attempts that died before that owner,
    // and not for those in between.
    const fold = models.find((slot) => slot.fold ?? slot.assessment);
    const keeper = (fold && facts.durable.get(fold.n)?.epoch) ?? claim?.epoch ?? 0;
    // An owner that has thawed after a commit has asked in vain.
    const isVain = (epoch: number) => claim?.charges && epoch > facts.committedEpoch && epoch < keeper;
    const vain = [...facts.sent].flatMap(([epoch, tokens]) => (isVain(epoch) ? tokens() : []));
    // The estimate is that of the request that follows, which may take other messages from the inbox.
    const most = claim?.request?.() ?? Number.POSITIVE_INFINITY;
    const due = vain.reduce((sum, tokens) => sum + Math.min(tokens, most), 0);
    const charged = models.reduce((sum, { lost }) => sum + (lost?.input ?? 0), 0);
    return charged < 0.8 * due
      ? `dead attempts have sent ${due} tokens, and ${charged} are charged`
      : undefined;
  },

  '11 people are told what was served': ({ after, before, facts, slots, claim, reported }) => {
    if (after.session.eventSeq === before.session.eventSeq || !after.session.run) return undefined;
    const books = runBooks(facts.served, after.session.run.id);
    const all = withChildren(books, after.session.run.delegated);
    // A reply is told before its calls have run.
    const { run } = before.session;
    const told = withChildren(books, run?.id === after.session.run.id ? run.delegated : undefined);
    const then = reported.reduce(withChildren, told);
    for (const { event } of after.tail) {
      if (event.type === 'CUSTOM' && event.name === 'steploop.usage') {
        const { step, usage, totals } = event.value;
        const replied = slots.some((slot) => slot?.kind === 'model' && slot.reply);
        const [aside] = slots.flatMap((slot) =>
          slot?.kind === 'model' ? (slot.fold?.summary ?? slot.assessment?.bought ?? []) : [],
        );
        const { summaries, assessments } = facts.served;
        const summed = aside && (summaries.get(aside.messageId) ?? assessments.get(aside.messageId));
        const sold = replied ? books.kept : (summed ?? claim?.used);
        const of = books.steps + (replied ? 0 : 1);
        if (step !== of || usage.input !== sold?.input || usage.output !== sold.output)
          return `step ${step} is told to have used ${JSON.stringify(usage)}; served was ${JSON.stringify(sold)}`;
        const wrong = differ(totals, then, `what is told of step ${step}`);
        if (wrong) return wrong;
      }
      if (event.type !== 'CUSTOM' || event.name !== 'steploop.ended') continue;
      const { steps, toolCalls, totals } = event.value;
      if (steps !== books.steps || toolCalls !== books.toolCalls)
        return `the end tells of ${steps} steps and ${toolCalls} calls, not ${books.steps} and ${books.toolCalls}`;
      const wrong = differ(totals, all, 'what is told at the end');
      if (wrong) return wrong;
    }
    return undefined;
  },
};

function differ(totals: Totals, sold: Account, whose: string): string | undefined {
  const same =
    totals.input === sold.input &&
    totals.output === sold.output &&
    totals.cacheRead === 0 &&
    totals.cacheWrite === 0 &&
    totals.costUsd === usdOf(sold);
  return same
    ? undefined
    : `${whose}: ${JSON.stringify(totals)}; sold were ${sold.input} and ${sold.output}, $${usdOf(sold)}`;
}

/** Sales to a session, with the use that its children have reported. */
const withChildren = (sold: Account, told: Account = { input: 0, output: 0 }): Account => ({
  input: sold.input + told.input,
  output: sold.output + told.output,
});
