import { expect, test } from 'vitest';
import { awsJsonClient } from '../../local/stack/aws-json.ts';
import { embedded } from '../support/embedded.ts';
import { ruleModel, sayText } from '../support/rule-model.ts';

/** Wakes of the tenant that floods, ten per request. */
const FLOOD = 10_000;

test('a session’s step does not wait behind the wakes of a tenant that floods', async () => {
  let waiting: Promise<number> | undefined;
  await using model = await ruleModel(({ lastText }) => {
    if (lastText.includes('Be quick.')) waiting ??= messages();
    return sayText('Done.');
  });
  await using world = await embedded({ model });
  const sqs = awsJsonClient(world.stack.endpoints.sqs, 'AmazonSQS');
  using closing = new DisposableStack();
  closing.defer(() => sqs.close());
  const { QueueUrls } = (await sqs.call('ListQueues', {})) as { QueueUrls: string[] };
  const QueueUrl = QueueUrls.find((url) => /Steps?Queue/.test(url)) ?? '';
  const messages = async () => {
    const wanted = { QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] };
    const { Attributes } = (await sqs.call('GetQueueAttributes', wanted)) as {
      Attributes: Record<string, string>;
    };
    return Number(Attributes.ApproximateNumberOfMessages);
  };
  // The door and the step are warm by then.
  await world.atRest(await world.start('Warm up.'));

  for (let n = 0; n < FLOOD; n += 10) {
    const Entries = Array.from({ length: 10 }, (_, i) => ({
      Id: String(i),
      MessageBody: JSON.stringify({ tenant: 'flood', sessionId: `absent-${n + i}` }),
      MessageGroupId: 'flood',
    }));
    await sqs.call('SendMessageBatch', { QueueUrl, Entries });
  }
  const before = await messages();
  const id = await world.start('Be quick.');
  expect(await world.atRest(id, 120)).toMatchObject({ state: 'completed' });
  // Its model was called while most of the earlier wakes still waited.
  expect(before).toBeGreaterThan(FLOOD / 4);
  expect(await waiting).toBeGreaterThan(before / 4);
});
