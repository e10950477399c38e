import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { type Embedded, local } from './embedded.ts';
import { signedFetch } from './signed.ts';

/** A row of the table, by its keys, or an object of the bucket. */
export interface Stored {
  readonly name: string;
  /** ASCII text can be found in it, also in what is stored as bytes. */
  readonly text: string;
}

/** Everything in the deployment's table and in its bucket, as it is stored. */
export async function storedIn({ stack }: Embedded): Promise<Stored[]> {
  const { endpoints, outputs } = stack;
  const client = new DynamoDBClient({ ...local, endpoint: endpoints.dynamodb });
  const rows: Stored[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName: outputs.TableName }))
    for (const item of Items.map((one) => unmarshall(one)))
      rows.push({ name: `${item.pk} ${item.sk}`, text: JSON.stringify(item, readable) });
  client.destroy();
  const bucket = `${endpoints.sqs}/${outputs.BlobBucketName}`;
  const xml = await (await signedFetch('s3', `${bucket}?list-type=2`)).text();
  const keys = [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
  const objects = keys.map(async (key) => {
    const path = key.split('/').map(encodeURIComponent).join('/');
    return { name: key, text: await (await signedFetch('s3', `${bucket}/${path}`)).text() };
  });
  return [...rows, ...(await Promise.all(objects))];
}

const readable = (_: string, value: unknown): unknown =>
  value instanceof Set
    ? [...value]
    : value instanceof Uint8Array
      ? Buffer.from(value).toString('latin1')
      : value;

/** Names of everything stored that holds these words, in order. */
export const holding = async (world: Embedded, words: string): Promise<string[]> =>
  (await storedIn(world))
    .filter(({ name, text }) => `${name} ${text}`.includes(words))
    .map(({ name }) => name)
    .sort();
