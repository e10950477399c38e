import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDynamo, type Dynamo } from '../../shared/aws/dynamo.ts';
import { createPlaces, PLACES_OF_ITEM } from '../../shared/aws/places.ts';
import { createStreams } from '../../shared/aws/streams.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { streamsContract } from './streams.ts';

let aws: EmbeddedAws;
beforeAll(async () => {
  aws = await startEmbeddedAws();
});
afterAll(() => aws.stop());

streamsContract('aws', async (clock, atOnce) =>
  createStreams(createDynamo(aws.clients.dynamo(), await aws.createTable()), clock, atOnce),
);

const item = { pk: 'acme', sk: 'places' };

/** Places of a table, where each of these happens right before one write of {@link Dynamo.update}. */
async function between(...events: ((places: ReturnType<typeof createPlaces>) => Promise<unknown>)[]) {
  const dynamo = createDynamo(aws.clients.dynamo(), await aws.createTable());
  const others = createPlaces(dynamo);
  const update: Dynamo['update'] = async (...args) => {
    await events.shift()?.(others);
    return dynamo.update(...args);
  };
  return { others, places: createPlaces({ ...dynamo, update }) };
}

test.each(['freed', 'taken again'])(
  'places are freed although others are %s meanwhile, however often',
  async (what) => {
    const change = (id: string, value: number) => (places: ReturnType<typeof createPlaces>) =>
      what === 'freed' ? places.drop(item, id) : places.change(item, id, value, value + 100);
    const { others, places } = await between(change('a', 1), change('b', 2), change('c', 3));
    for (const [n, id] of ['a', 'b', 'c', 'd', 'mine'].entries())
      await others.take(item, id, n + 1, PLACES_OF_ITEM);
    expect(await places.free(item, { a: 1, b: 2, c: 3, d: 4 })).toBe(false);
    const { held } = await others.take(item, 'mine', 5, PLACES_OF_ITEM);
    const left = what === 'freed' ? {} : { a: 101, b: 102, c: 103 };
    expect(held).toEqual({ ...left, mine: 5 });
  },
);
