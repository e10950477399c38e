/**
 * The cost of a call to DynamoDB in this process: `npm run bench:call`.
 *
 * The same commands through the SDK and through our own path (`shared/aws/direct.ts`), alternating in one process, to a server in
 * another that answers at once: a get and a put of 3 KB, four at a time. Read the ratio: microseconds are this machine's, and
 * some 80 of them are the kernel's, which both pay.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { direct } from '../shared/aws/direct.ts';
import { Sha256 } from '../shared/aws/sha256.ts';
import { optionsOf, whole } from '../test/support/command-line.ts';

const HELP = `npm run bench:call -- [options]

  --rounds N   rounds of 1,200 calls on each path (12)
  --smoke      one round of 40 calls: whether it works, not how fast it is`;

const AT_ONCE = 4;

const key = { pk: { S: 'tenant#session-0123456789' }, sk: { S: 'HEAD' } };
const item = {
  ...key,
  version: { N: '12' },
  text: { S: 'hello '.repeat(100) },
  body: { B: new Uint8Array(2000).fill(7) },
};
const commands = [
  () => new GetItemCommand({ TableName: 't', Key: key, ConsistentRead: true }),
  () => new PutItemCommand({ TableName: 't', Item: item, ConditionExpression: 'attribute_not_exists(pk)' }),
];

if (process.send) serve();
else await compare();

function serve(): void {
  const body = JSON.stringify({
    Item: { ...item, body: { B: Buffer.from(item.body.B).toString('base64') } },
  });
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(body);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

async function compare(): Promise<void> {
  const option = optionsOf(HELP, {
    rounds: { type: 'string', default: '12' },
    smoke: { type: 'boolean', default: false },
  });
  const rounds = option.smoke ? 1 : whole('rounds', option.rounds);
  const calls = option.smoke ? 40 : 1200;
  const server = fork(new URL(import.meta.url));
  const [port] = await once(server, 'message');
  const options = {
    endpoint: `http://127.0.0.1:${port}`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'id', secretAccessKey: 'key' },
  };
  const ways = {
    sdk: new DynamoDBClient(options),
    ours: direct(new DynamoDBClient({ ...options, sha256: Sha256 })),
  };
  const spent = { sdk: [] as number[], ours: [] as number[] };
  for (let round = -3; round < rounds; round++) {
    for (const way of ['sdk', 'ours'] as const) {
      const cpu = await cpuOf(ways[way], calls);
      if (round >= 0) spent[way].push(cpu);
    }
  }
  server.kill();
  for (const client of Object.values(ways)) client.destroy();
  const ratios = spent.ours.map((cpu, round) => cpu / (spent.sdk[round] ?? Number.NaN));
  console.log(`Node ${process.version}, CPU of this process a call, median of ${ratios.length} rounds`);
  console.log(`the SDK's own way  ${median(spent.sdk).toFixed(0).padStart(5)} µs`);
  console.log(
    `ours               ${median(spent.ours).toFixed(0).padStart(5)} µs   ${median(ratios).toFixed(2)}x`,
  );
}

/** Microseconds of this process, user and system, for one of so many calls. */
async function cpuOf(client: DynamoDBClient, calls: number): Promise<number> {
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, n) =>
        client.send((commands[n % 2] as (typeof commands)[0])() as GetItemCommand),
      ),
    );
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
