/** The conditions that every thread must meet at rest, read from Slack and from the session's log. */

import { catchUp } from '../../../shared/agent/events/catch-up.ts';
import type { AgUiEvent } from '../../../shared/contract/events.ts';
import { sessionIdFor } from '../../../shared/contract/ids.ts';
import { readButtonValue } from '../../../shared/slack/button-value.ts';
import { placeKeyOf } from '../../../shared/slack/place.ts';
import { emptyView, fold } from '../../../web/client/view.ts';
import type { FakeMessage } from '../../support/memory-slack.ts';
import { read, wrongIn } from '../../support/shown.ts';
import { TEAM } from '../../support/slack-recordings.ts';
import type { Subject } from './people.ts';
import { answerTo } from './plan.ts';
import type { SoakWorld } from './world.ts';

export interface Verified {
  /** Sentences; empty if all is well. */
  readonly wrong: readonly string[];
  readonly runs: number;
  /** Number of characters in the answers. */
  readonly said: number;
}

const isAnswer = ({ blocks, plan }: FakeMessage): boolean => blocks === undefined && plan === undefined;
const isAsk = ({ blocks }: FakeMessage): boolean =>
  (blocks as { type: string }[] | undefined)?.[0]?.type === 'section';

/** @param fixed whether messages cannot be edited there, so that old ones keep their buttons */
export async function verify(subject: Subject, fixed: boolean, soak: SoakWorld): Promise<Verified> {
  const { n, channel, thread, deleted, plans, clicks } = subject;
  const wrong: string[] = [];
  const expect = (holds: boolean, what: string) => {
    if (!holds)
      wrong.push(`thread ${n} (${plans.map(({ kind, script }) => `${kind} ${script}`).join()}): ${what}`);
  };
  const key = {
    tenant: 'acme',
    sessionId: await sessionIdFor('slack', placeKeyOf({ team: TEAM, channel, thread })),
  };
  const events = ((await catchUp(key, 0, 1_000_000, soak.world)) ?? []).map(({ event }) => event);
  const said = textsOf(events);
  const text = said.join('');

  const live = soak.slack.memory.messages.filter((one) => one.channel === channel && one.thread === thread);
  const answers = [...live, ...deleted].filter(isAnswer).sort((a, b) => (a.ts < b.ts ? -1 : 1));
  const shown = answers.map((one) => ({ shown: read(one), deleted: deleted.includes(one) }));
  expect(wrongIn(text, shown) === undefined, `what it shows is not what was said: ${wrongIn(text, shown)}`);
  expect(!live.some(({ streaming }) => streaming), 'a stream is open');

  const runs = events.filter(({ type }) => type === 'RUN_STARTED').length;
  const ends = events.flatMap((event) => (event.type === 'RUN_FINISHED' ? [event] : []));
  expect(ends.length === runs, `${runs} runs have ${ends.length} ends`);
  const statuses = live.filter((one) => !isAnswer(one) && !isAsk(one) && !one.plan).map((one) => one.text);
  const last = statuses.filter((status) => !status.startsWith(':hourglass'));
  expect(last.length === runs, `${runs} runs have ${last.length} last words: ${last.join(' | ')}`);
  expect(!last.some((status) => /^:warning:/.test(status)), `a status warns: ${last.join(' | ')}`);
  if (!fixed) {
    expect(statuses.length === runs, `${runs} runs have ${statuses.length} statuses`);
    expect(!/steploop\.(stop|approve|deny)/.test(JSON.stringify(live)), 'a button is left');
  }
  const called = runsWithCalls(events);
  const shownPlans = live.flatMap((one) => one.plan ?? []);
  expect(shownPlans.length <= called, `${called} runs with calls have ${shownPlans.length} plans`);
  if (!fixed)
    expect(
      !shownPlans.some(({ title, tasks }) => title === 'Working' || isAtWork(tasks)),
      `a plan is at work: ${shownPlans.join(' | ')}`,
    );
  const asked = ends.flatMap(({ outcome }) => (outcome.type === 'interrupt' ? outcome.interrupts : []));
  expect(
    live.filter(isAsk).length === asked.length,
    `${asked.length} questions are ${live.filter(isAsk).length}`,
  );

  for (const { action, value, answers: whispers, decided } of clicks) {
    const { id } = readButtonValue(value);
    const told = whispers.length > 0;
    if (action === 'stop') {
      const stopped = ends.some(({ runId, outcome }) => outcome.type === 'cancelled' && isOf(runId, id));
      expect(stopped || told, `a Stop of ${id} did nothing, and said nothing`);
    } else expect(decided === 'decided' || told, `${action} came to ${decided}, and nothing was said`);
  }
  for (const plan of plans) {
    const times = soak.paid.filter((one) => one === plan.n).length;
    const approved = clicks.some(({ action, decided }) => action === 'approve' && decided === 'decided');
    expect(times <= (approved ? 1 : 0), `plan ${plan.n} has paid ${times} times`);
    if (plans.length === 1 && approved) expect(times === 1, 'what was approved has not run');
    const whole = answerTo(plan);
    if (soak.said.includes(whole)) expect(said.includes(whole), 'the log lacks an answer of the model');
  }
  return { wrong, runs, said: text.length };
}

const isAtWork = (tasks: ReadonlyMap<string, { readonly status: string }>): boolean =>
  [...tasks.values()].some(({ status }) => status === 'in_progress');

/** Runs in which a tool was called, parts of one that was resumed counted separately. */
function runsWithCalls(events: readonly AgUiEvent[]): number {
  let runs = 0;
  let isCounted = false;
  for (const { type } of events) {
    if (type === 'RUN_STARTED') isCounted = false;
    if ((type === 'TOOL_CALL_START' || type === 'TOOL_CALL_RESULT') && !isCounted) {
      isCounted = true;
      runs++;
    }
  }
  return runs;
}

/** The public id of a run is that of its first part, with a suffix for each resumption. */
const isOf = (runId: string, id: string): boolean =>
  runId === id || runId.startsWith(id) || id.startsWith(runId);

const textsOf = (events: readonly AgUiEvent[]): string[] =>
  events
    .reduce(fold, emptyView)
    .items.flatMap((item) =>
      item.kind === 'message' && item.role === 'assistant' && item.text !== '' ? [item.text] : [],
    );
