import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import type { WireItem } from '../../local/stack/services/item-bytes.ts';
import type { Wire } from '../../local/stack/wire.ts';
import { embedded } from '../support/embedded.ts';
import { writeUnits } from '../support/item-size.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';

interface Call {
  readonly operation: string;
  readonly body: string;
  readonly from: number;
  to: number;
}

/** Each response is delayed, so that calls that do not wait for each other certainly overlap. */
const HOLD_MS = 60;

/** Turns whose call is not a plain read, so it checks HEAD before it starts. */
const asksHead: Readonly<Record<number, 'save' | 'pay'>> = { 5: 'save', 6: 'pay' };
/** Consecutive round trips: `save` checks before it starts, and `pay` also has its result saved separately. */
const mostInARow = { look: 4, save: 5, pay: 6 };
const mostUnits = { look: 12, save: 13, pay: 17 };

test('a tool step waits for at most 4 consecutive round trips, one or two more when its call changes something, and writes about 10 units with 4 KB of new content, at any length', async () => {
  const calls: Call[] = [];
  const wire: Wire = {
    before({ operation, body }) {
      calls.push({ operation, body, from: performance.now(), to: Number.POSITIVE_INFINITY });
    },
    async after({ operation, body }) {
      await pause(HOLD_MS);
      const call = calls.find(
        (c) => c.body === body && c.operation === operation && c.to === Number.POSITIVE_INFINITY,
      );
      if (call) call.to = performance.now();
    },
  };
  const askedAt: number[] = [];
  const prose = await someProse();
  await using model = await ruleModel(({ turn }) => {
    askedAt.push(performance.now());
    if (turn === 9) return sayText('Done.');
    return callTools([asksHead[turn] ?? 'look', { n: turn, note: prose(1500) }]);
  });
  await using world = await embedded({ model, wire, tools: () => prose(1500) });
  const id = await world.start('Go.');
  // The API is not polled, because the HTTP function's reads would be counted too.
  while (askedAt.length < 10) await pause(50);
  await world.atRest(id);

  const { stack } = world;
  const units = async (step: number) =>
    unitsOf(
      between(calls, askedAt, step).filter((call) => !isPack(call)),
      stack.endpoints.dynamodb,
      stack.outputs.TableName,
    );
  for (const step of [3, 6, 7, 8]) {
    const made = between(calls, askedAt, step);
    const inARow = longestChain(made.filter((call) => !isAside(call)));
    const written = await units(step);
    console.log(
      `step ${step}: ${made.length} calls, ${inARow.length} in a row (${inARow.map((call) => call.operation).join(' → ')}), ${written} write units`,
    );
    const tool = asksHead[step - 1] ?? 'look';
    expect(inARow.length).toBeLessThanOrEqual(mostInARow[tool]);
    expect(written).toBeGreaterThanOrEqual(8);
    expect(written).toBeLessThanOrEqual(mostUnits[tool]);
  }
});

/** Prose that never changes, with a different piece at each call: the event log must not compress text of one repeated letter. */
async function someProse(): Promise<(bytes: number) => string> {
  const text = await readFile('LICENSE', 'utf8');
  let at = 0;
  return (bytes) => {
    at = (at + 611) % (text.length - bytes);
    return text.slice(at, at + bytes);
  };
}

/** The calls of a step: from its claim to its send. */
function between(calls: readonly Call[], askedAt: readonly number[], step: number): Call[] {
  const isClaim = (call: Call) =>
    call.operation === 'UpdateItem' &&
    call.body.includes('ownerMessageId') &&
    !call.body.includes('eventSeq');
  const asked = askedAt[step - 1] ?? 0;
  const claim = calls.filter((call) => isClaim(call) && call.from < asked).at(-1);
  const send = calls.find((call) => call.operation === 'SendMessage' && call.from > asked);
  if (!claim || !send) throw new Error('no such step');
  return calls
    .filter((call) => call.from >= claim.from - 5 && call.from <= send.from)
    .filter((call) => call === send || call.operation !== 'SendMessage');
}

/**
 * A pack: one step in several puts one during the model call. Each environment that has not put it reads it once, which
 * is one more round trip. `cost-of-a-context.test.ts` counts both over many steps.
 */
const isPack = ({ body }: Call): boolean => body.includes('"P#');

/** Calls that no commit waits for: those during the model call, pushes to clients, the message's visibility. */
const isAside = (call: Call): boolean =>
  isPack(call) ||
  call.body.includes('"V#') ||
  call.operation === 'PostToConnection' ||
  call.operation === 'ChangeMessageVisibility';

/** The longest chain of calls that each began after the previous one had ended. */
function longestChain(calls: readonly Call[]): Call[] {
  const best = new Map<Call, Call[]>();
  for (const call of [...calls].sort((a, b) => a.from - b.from)) {
    const before = [...best].filter(([other]) => other.to <= call.from).map(([, chain]) => chain);
    const longest = before.reduce<Call[]>((a, b) => (b.length > a.length ? b : a), []);
    best.set(call, [...longest, call]);
  }
  return [...best.values()].reduce<Call[]>((a, b) => (b.length > a.length ? b : a), []);
}

async function unitsOf(calls: readonly Call[], endpoint: string, table = ''): Promise<number> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
  let units = 0;
  for (const { operation, body } of calls) {
    const request = JSON.parse(body || '{}');
    if (operation === 'PutItem') units += writeUnits(request.Item);
    if (operation !== 'UpdateItem') continue;
    const { Item } = await client.send(new GetItemCommand({ TableName: table, Key: request.Key }));
    units += writeUnits(Item as unknown as WireItem);
  }
  client.destroy();
  return units;
}
