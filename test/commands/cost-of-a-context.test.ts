import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, inject, test } from 'vitest';
import { deployedIn } from '../../local/deployed.ts';
import { readAssembly } from '../../local/stack/assembly.ts';
import { itemBytes, type WireItem } from '../../local/stack/services/item-bytes.ts';
import { embedded } from '../support/embedded.ts';
import { readUnits, writeUnits } from '../support/item-size.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';

/** Characters of a context of 200,000 tokens. */
const FULL = 800_000;
/** Number of steps that are measured at full size, in an environment that has been running for long. */
const WARM = 8;
const most = { warm: 10, cold: 60, packing: 1 };

interface Call {
  readonly operation: string;
  readonly request: {
    readonly TableName?: string;
    readonly ConsistentRead?: boolean;
    readonly Key?: Record<string, { S: string }>;
    readonly Item?: WireItem;
    readonly RequestItems?: Record<string, { ConsistentRead?: boolean }>;
  };
  answer?: { readonly Items?: WireItem[]; readonly Responses?: Record<string, WireItem[]> };
}

test('with a context of 200,000 tokens a warm step reads at most 10 units and a cold one 60, and packing costs at most one write unit a step', async () => {
  const calls: Call[] = [];
  const answered = new Map<object, Call>();
  const prose = await someProse();
  let fullAt = Number.POSITIVE_INFINITY;
  let replaced: Promise<void> | undefined;
  const prompts: number[] = [];
  await using model = await ruleModel(({ messages, turn }) => {
    const chars = JSON.stringify(messages).length;
    prompts.push(chars);
    if (chars > FULL) fullAt = Math.min(fullAt, turn);
    if (turn === fullAt + WARM) replaced = newCode();
    return turn > fullAt + WARM ? sayText('Done.') : callTools(['look', { n: turn, note: prose(300) }]);
  });
  await using world = await embedded({
    model,
    tools: () => prose(1_500),
    wire: {
      before(call) {
        const made: Call = { operation: call.operation, request: JSON.parse(call.body || '{}') };
        answered.set(call, made);
        calls.push(made);
      },
      after(call, { body }) {
        const made = answered.get(call);
        if (made && call.service === 'dynamodb') made.answer = JSON.parse(body);
      },
    },
  });
  const { stack } = world;
  /** Makes the following steps run in a new environment. */
  const newCode = () => {
    const assembly = inject('assembly');
    const id = String(deployedIn(assembly).functions.step);
    const { template, assetDirectory } = readAssembly(assembly, undefined);
    const code = template.Resources[id]?.Properties?.Code as { S3Key: string } | undefined;
    return stack.replaceCode(id, assetDirectory(code?.S3Key ?? ''));
  };
  await world.api('POST', '/sessions', { agent: 'archivist', message: 'Read it all.' });
  // The API is not polled, because the HTTP function's reads would be counted too.
  while (prompts.length < fullAt + WARM + 2) await pause(100);
  await pause(1_000);
  await replaced;

  const client = new DynamoDBClient({
    endpoint: stack.endpoints.dynamodb,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const steps = await Promise.all(
    stepsOf(calls).map(async (made) => ({
      read: (await Promise.all(made.map((call) => readBy(call, client)))).reduce(
        (all, units) => all + units,
        0,
      ),
      packed: made.filter(isPack).reduce((all, { request }) => all + writeUnits(request.Item ?? {}), 0),
    })),
  );
  client.destroy();
  const warm = steps.slice(-WARM - 1, -1).map(({ read }) => read);
  const cold = steps.at(-1)?.read ?? 0;
  const packing = steps.reduce((all, { packed }) => all + packed, 0) / steps.length;
  const all = steps.slice(10, -1).map(({ read }) => read);
  console.log(
    `${steps.length} steps, ${Math.max(...prompts)} characters: warm steps read ${warm.join(', ')} units (any before: ${Math.max(...all)} at most), the cold one ${cold}; packing wrote ${packing.toFixed(2)} units a step`,
  );
  expect(Math.max(...prompts)).toBeGreaterThan(FULL);
  expect(Math.max(...warm)).toBeLessThanOrEqual(most.warm);
  // On a busy machine another environment may take over a step, and that one is cold.
  expect(all.filter((read) => read > most.warm).length).toBeLessThanOrEqual(1);
  expect(cold).toBeLessThanOrEqual(most.cold);
  expect(cold).toBeGreaterThan(most.warm);
  expect(packing).toBeLessThanOrEqual(most.packing);
  expect(packing).toBeGreaterThan(0);
}, 300_000);

/** The calls of each step. Its last one sends the next wake. */
function stepsOf(calls: readonly Call[]): Call[][] {
  const ends = calls.flatMap(({ operation }, i) => (operation === 'SendMessage' ? [i] : []));
  return ends.map((end, i) => calls.slice(end + 1, ends[i + 1]));
}

const isPack = ({ operation, request }: Call): boolean =>
  operation === 'PutItem' && JSON.stringify(request).includes('"P#');

/** The read units of a call. */
async function readBy({ operation, request, answer }: Call, client: DynamoDBClient): Promise<number> {
  const strong = request.ConsistentRead === true;
  switch (operation) {
    case 'Query':
      return readUnits(
        (answer?.Items ?? []).reduce((all, item) => all + itemBytes(item), 0),
        strong,
      );
    case 'GetItem': {
      // The whole item is read, whatever the call asks for.
      const { TableName, Key } = request;
      const { Item } = await client.send(new GetItemCommand({ TableName, Key }));
      return readUnits(itemBytes((Item ?? {}) as unknown as WireItem), strong);
    }
    case 'BatchGetItem': {
      const [asked] = Object.values(request.RequestItems ?? {});
      return Object.values(answer?.Responses ?? {})
        .flat()
        .reduce((all, item) => all + readUnits(itemBytes(item), asked?.ConsistentRead === true), 0);
    }
    default:
      return 0;
  }
}

/** Natural prose, with a different piece at each call. */
async function someProse(): Promise<(bytes: number) => string> {
  const files = ['docs/design.md', 'docs/tools.md', 'docs/webhooks.md', 'docs/identity.md', 'docs/slack.md'];
  const text = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
  let at = 0;
  return (bytes) => {
    at = (at + bytes + 611) % (text.length - bytes);
    return text.slice(at, at + bytes);
  };
}
