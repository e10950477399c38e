/** The conditions that every session must meet at rest, read from the store itself and from its client. */

import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { toSnapshot } from '../../shared/agent/events/snapshot.ts';
import { callsOf } from '../../shared/agent/session/reply.ts';
import type { Slot } from '../../shared/agent/session/slots.ts';
import type { Frame } from '../../shared/contract/events.ts';
import type { Totals } from '../../shared/contract/session.ts';
import type { Embedded } from '../support/embedded.ts';

/** A session of a chaos run: the messages that were sent to it, and the model's words that its client saw. */
export interface Subject {
  readonly id: string;
  /** Ids of the events that the API accepted. */
  readonly accepted: readonly string[];
  /** Absent if no client followed it. */
  readonly seen?: () => readonly string[];
  /** Calls that a person refused and was told were refused. */
  readonly refused: string[];
}

/** Everything that is wrong with a session, in sentences; empty if nothing is. */
export async function verify(world: Embedded, subject: Subject): Promise<string[]> {
  const wrong: string[] = [];
  const expect = (holds: boolean, what: string) => {
    if (!holds) wrong.push(`${subject.id}: ${what}`);
  };
  const slots = await slotsOf(world, subject.id);
  const session = await world.session(subject.id);
  const frames = await allFrames(world, subject.id);

  const runs = new Set(frames.flatMap(({ event }) => (event.type === 'RUN_STARTED' ? [event.runId] : [])));
  const ends = frames.filter(
    ({ event }) => event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR',
  ).length;
  expect(ends === runs.size, `${runs.size} runs have ${ends} terminal events`);

  const told = slots.flatMap((slot) =>
    slot.kind === 'model' ? slot.input.flatMap((turn) => turn.eventId ?? []) : [],
  );
  for (const id of subject.accepted) {
    const times = told.filter((other) => other === id).length;
    expect(times === 1, `the message ${id} is in ${times} slots`);
  }

  for (const [i, slot] of slots.entries()) {
    const asked = slot.kind === 'model' && slot.reply ? callsOf(slot.reply).map(({ id }) => id) : [];
    if (asked.length === 0) continue;
    const next = slots[i + 1];
    const answered = next?.kind === 'tools' ? next.results.map(({ callId }) => callId) : [];
    expect(answered.join() === asked.join(), `slot ${slot.n} asks for ${asked} and gets ${answered}`);
  }

  const totals = session.totals as Totals;
  const sum = (of: (usage: Totals) => number) =>
    slots.reduce((total, slot) => {
      if (slot.kind !== 'model') return total;
      const { reply, lost } = slot;
      return total + (reply ? of({ ...reply.usage, costUsd: reply.costUsd }) : 0) + (lost ? of(lost) : 0);
    }, 0);
  expect(sum((u) => u.input) === totals.input, 'input tokens are not the sum over the slots');
  expect(sum((u) => u.output) === totals.output, 'output tokens are not the sum over the slots');
  const billionths = sum((u) => Math.round(u.costUsd * 1e9));
  expect(billionths / 1e9 === totals.costUsd, 'dollars are not the sum over the slots');

  for (const callId of subject.refused)
    expect(
      !world.toolStarts.some(
        ({ idempotencyKey }) =>
          idempotencyKey.includes(`:${subject.id}:`) && idempotencyKey.includes(`:${callId}:`),
      ),
      `${callId} was refused, and has started`,
    );

  const committed = toSnapshot(slots).flatMap((m) =>
    m.role === 'assistant' && m.content ? [m.content] : [],
  );
  const seen = subject.seen?.();
  expect(
    !seen || JSON.stringify(seen) === JSON.stringify(committed),
    `the client saw ${JSON.stringify(seen)}, committed is ${JSON.stringify(committed)}`,
  );
  return wrong;
}

async function slotsOf(world: Embedded, id: string): Promise<Slot[]> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({
    endpoint: world.stack.endpoints.dynamodb,
    region: 'us-east-1',
    credentials,
  });
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: world.stack.outputs.TableName,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :slots)',
      ExpressionAttributeValues: { ':pk': { S: `default#${id}` }, ':slots': { S: 'M#' } },
      ConsistentRead: true,
    }),
  );
  client.destroy();
  const { slots: version } = (await world.session(id)) as unknown as { slots: number };
  return Items.map((item): Slot => JSON.parse(unmarshall(item).body)).filter(({ n }) => n < version);
}

async function allFrames(world: Embedded, id: string): Promise<Frame[]> {
  const all: Frame[] = [];
  for (let after = 0; ; ) {
    const { body } = await world.api('GET', `/sessions/${id}/events?after=${after}&limit=1000`);
    if (body.frames.length === 0) return all;
    all.push(...body.frames);
    after = body.next;
  }
}
