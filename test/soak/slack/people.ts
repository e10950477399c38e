/** People in threads: they ask, click, delete messages, and come back with another message. */

import { onEvents } from '../../../functions/slack/events.ts';
import { onInteractions } from '../../../functions/slack/interactions.ts';
import type { Random } from '../../sim/random.ts';
import type { FakeMessage } from '../../support/memory-slack.ts';
import * as recorded from '../../support/slack-recordings.ts';
import { type Plan, promptOf, somePlan } from './plan.ts';
import type { SoakWorld } from './world.ts';

/** One thread, and what people did in it. */
export interface Subject {
  readonly n: number;
  readonly channel: string;
  readonly user: string;
  /** `ts` of its first message. */
  readonly thread: string;
  readonly plans: Plan[];
  readonly clicks: Click[];
  readonly deleted: FakeMessage[];
}

export interface Click {
  readonly action: 'stop' | 'approve' | 'deny';
  /** The run or the wait that the button belongs to. */
  readonly value: string;
  /** Private replies to people who clicked. */
  readonly answers: readonly string[];
  /** The answer of the door for decisions. */
  readonly decided?: string;
}

/**
 * How long a person waits for a button, in ms: an approval button must come, but a stop button comes only during a run.
 */
const PATIENCE_MS = { approve: 3_600_000, stop: 60_000 };

/** The life of one thread. Resolves when all people have finished in it. */
export async function liveIn(subject: Subject, soak: SoakWorld, random: Random): Promise<void> {
  const { clock } = soak.world;
  const others: Promise<void>[] = [];
  if (random.chance(0.25)) others.push(deleteSome(subject, soak, random));
  for (let words = random.chance(0.35) ? 2 : 1; words > 0; words--) {
    const plan = somePlan(1_000 * subject.n + subject.plans.length, random);
    await say(subject, plan, soak, random);
    if (plan.kind === 'approve') await decideIn(subject, soak, random);
    if (plan.kind === 'stop') await stopIn(subject, soak, random);
    await clock.sleep(random.between(1_000, 240_000));
  }
  await Promise.all(others);
}

async function say(subject: Subject, plan: Plan, { context, world }: SoakWorld, random: Random) {
  const { channel, user, thread } = subject;
  const isFirst = subject.plans.length === 0;
  subject.plans.push(plan);
  const ts = isFirst ? thread : `${Math.floor(world.clock.now() / 1_000)}.${plan.n}`;
  const about = {
    ...{ channel, user, ts, event_ts: ts },
    ...(!isFirst && { thread_ts: thread }),
    text: `<@${recorded.BOT}> ${promptOf(plan)}`,
  };
  const mention = recorded.envelope(recorded.appMention(about), { event_id: `Ev${plan.n}` });
  // Slack sends some events again.
  for (let times = random.chance(0.1) ? 2 : 1; times > 0; times--)
    await onEvents(JSON.stringify(mention), context);
}

/** Waits for a button in the thread that was not clicked yet, looking every two seconds. */
async function button(
  { channel, thread, clicks }: Subject,
  action: keyof typeof PATIENCE_MS,
  { slack, world }: SoakWorld,
): Promise<Button | undefined> {
  const { clock } = world;
  for (const end = clock.now() + PATIENCE_MS[action]; clock.now() < end; await clock.sleep(2_000))
    for (const message of slack.memory.messages.toReversed()) {
      if (message.channel !== channel || message.thread !== thread) continue;
      const value = buttonOf(message, `steploop.${action}`);
      if (value !== undefined && !clicks.some((one) => one.value === value)) return { message, value };
    }
  return undefined;
}

interface Button {
  readonly message: FakeMessage;
  readonly value: string;
}

function buttonOf({ blocks }: FakeMessage, actionId: string): string | undefined {
  const all = (blocks ?? []) as { elements?: { action_id?: string; value?: string }[] }[];
  return all.flatMap(({ elements = [] }) => elements).find(({ action_id }) => action_id === actionId)?.value;
}

async function click(
  subject: Subject,
  action: Click['action'],
  { message, value }: Button,
  { context, whispers, decided }: SoakWorld,
) {
  const { channel, user, thread } = subject;
  const { length } = whispers;
  const before = decided.length;
  const payload = recorded.blockActions(`steploop.${action}`, value, {
    user: { id: user, username: user, team_id: recorded.TEAM },
    channel: { id: channel, name: channel },
    message: { type: 'message', user: recorded.BOT, ts: message.ts, thread_ts: thread, text: '' },
  });
  await onInteractions(recorded.asForm(payload), context);
  const answers = whispers.slice(length).filter((whisper) => whisper.user === user);
  subject.clicks.push({
    ...{ action, value, answers: answers.map(({ text }) => text) },
    ...(decided[before] && { decided: decided[before].kind }),
  });
}

async function decideIn(subject: Subject, soak: SoakWorld, random: Random) {
  const approved = random.chance(0.7);
  const found = await button(subject, 'approve', soak);
  if (!found) throw new Error(`nobody is asked in ${subject.channel} ${subject.thread}`);
  const value = { ...found, value: (!approved && buttonOf(found.message, 'steploop.deny')) || found.value };
  await soak.world.clock.sleep(random.between(500, 20_000));
  for (let times = random.chance(0.25) ? 2 : 1; times > 0; times--)
    await click(subject, approved ? 'approve' : 'deny', value, soak);
}

async function stopIn(subject: Subject, soak: SoakWorld, random: Random) {
  const found = await button(subject, 'stop', soak);
  if (!found) return;
  await soak.world.clock.sleep(random.between(0, 20_000));
  for (let times = random.chance(0.25) ? 2 : 1; times > 0; times--) await click(subject, 'stop', found, soak);
}

/** Deletes one or two messages of an answer, even one that is being written. */
async function deleteSome(
  { channel, thread, deleted }: Subject,
  { slack, world }: SoakWorld,
  random: Random,
) {
  for (let times = random.between(1, 2); times > 0; times--) {
    await world.clock.sleep(random.between(2_000, 40_000));
    const answers = slack.memory.messages.filter(
      (one) => one.channel === channel && one.thread === thread && one.blocks === undefined,
    );
    if (answers.length === 0) continue;
    const one = random.pick(answers);
    deleted.push({ ...one });
    slack.memory.remove(one.ts);
  }
}
