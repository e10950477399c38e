import { AwsJsonError } from '../aws-json.ts';
import { arnOf, physicalName } from '../identity.ts';
import type { Created, Site } from '../site.ts';
import { type Declared, list, optionalText } from '../template/properties.ts';
import type { Json } from '../template/types.ts';

/**
 * AWS::DynamoDB::Table and GlobalTable. Creates the table, or takes an existing one of the same keys and indexes. Accepted and
 * ignored: capacity, PITR, encryption, deletion protection, TTL (items past it stay, which DynamoDB allows for days). Throws if
 * the stored table has other keys: the embedded DynamoDB cannot change them.
 */
export async function createTable(item: Declared, site: Site): Promise<Created> {
  const name = optionalText(item, 'TableName') ?? physicalName(site.stackName, item.id, 255);
  const wanted = {
    TableName: name,
    AttributeDefinitions: list(item, 'AttributeDefinitions'),
    KeySchema: list(item, 'KeySchema'),
    BillingMode: 'PAY_PER_REQUEST',
    ...indexes(item, 'GlobalSecondaryIndexes'),
    ...indexes(item, 'LocalSecondaryIndexes'),
  };
  try {
    await site.dynamodb('CreateTable', wanted);
  } catch (error) {
    if (!(error instanceof AwsJsonError && error.code === 'ResourceInUseException')) throw error;
  }
  const table = await whenActive(site, name);
  if (shapeOf(table) !== shapeOf(wanted)) {
    throw new Error(
      `${item.id}: the stored table ${name} has other keys or indexes than the template; delete the stack's data folder to start afresh`,
    );
  }
  const schema = wanted.KeySchema as { AttributeName: string; KeyType: string }[];
  const partition = schema.find(({ KeyType }) => KeyType === 'HASH');
  if (partition) site.access.knowTable(name, partition.AttributeName);
  return { ref: name, attributes: { Arn: arnOf('dynamodb', `table/${name}`) } };
}

type TableShape = Record<string, unknown>;

function indexes(item: Declared, property: string): object {
  const declared = list(item, property) as { IndexName: Json; KeySchema: Json; Projection: Json }[];
  if (declared.length === 0) return {};
  return {
    [property]: declared.map(({ IndexName, KeySchema, Projection }) => ({
      IndexName,
      KeySchema,
      Projection,
    })),
  };
}

/** Polls, because even with createTableMs 0 a new table becomes ACTIVE only after its creation was answered. */
async function whenActive(site: Site, name: string): Promise<TableShape> {
  for (;;) {
    const { Table } = (await site.dynamodb('DescribeTable', { TableName: name })) as { Table: TableShape };
    if (Table.TableStatus === 'ACTIVE') return Table;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A text that is equal for tables with equal keys and indexes, in any order. */
function shapeOf(table: TableShape): string {
  const schema = (keys: unknown): string =>
    (keys as { AttributeName: string; KeyType: string }[])
      .map((key) => `${key.KeyType}:${key.AttributeName}`)
      .sort()
      .join();
  const indexed = ['GlobalSecondaryIndexes', 'LocalSecondaryIndexes']
    .flatMap((kind) => (table[kind] ?? []) as { IndexName: string; KeySchema: unknown }[])
    .map((index) => `${index.IndexName}(${schema(index.KeySchema)})`);
  return [schema(table.KeySchema), ...indexed.sort()].join(' ');
}
