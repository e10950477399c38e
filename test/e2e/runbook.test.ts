import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, inject, test, vi } from 'vitest';
import { listed, tableOf } from '../../cli/sessions/list.ts';
import { stacksIn } from '../../local/stack/assembly.ts';
import { httpClient } from '../../web/client/index.ts';
import { embedded } from '../support/embedded.ts';
import { messageStart } from '../support/model-events.ts';
import { apiError, stall } from '../support/model-server.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';

/** Polls `look` until it finds something. */
const until = <T>(look: () => T | undefined): Promise<T> =>
  vi.waitFor(
    () => {
      const found = look();
      if (found === undefined) throw new Error(`not seen: ${look}`);
      return found;
    },
    { timeout: 60_000, interval: 50 },
  );

test('each fault that the runbook covers leaves the log lines that it names', async () => {
  const lines: string[] = [];
  const about = (...words: string[]) => lines.filter((line) => words.every((word) => line.includes(word)));
  let overloaded = 0;
  await using model = await ruleModel(({ messages, turn }) => {
    const said = JSON.stringify(messages[0]);
    if (said.includes('a revoked key')) return apiError(401, 'authentication_error', 'invalid key');
    if (said.includes('a busy server') && overloaded++ === 0)
      return apiError(529, 'overloaded_error', 'busy');
    if (said.includes('a broken tool') && turn === 0) return callTools(['break', { how: 'throw' }]);
    if (said.includes('a dead worker') && about('ended as killed').length === 0)
      return stall([messageStart()]);
    return sayText('Done.');
  });
  await using world = await embedded({ model, leaseSeconds: 3, log: (line) => void lines.push(line) });
  const lineOf = (id: string, ...words: string[]) => until(() => about(`sessionId=${id}`, ...words)[0]);

  const dead = await world.start('a dead worker');
  await until(() => model.asked.find(({ lastText }) => lastText.includes('a dead worker')));
  world.stack.kill('AgentsStepsStep');
  expect(await until(() => about('ended as killed')[0])).toContain('Runtime exited');

  const revoked = await world.start('a revoked key');
  const session = await world.atRest(revoked);
  expect(session).toMatchObject({
    state: 'error',
    reason: 'provider_error',
    lastEnding: { reason: 'provider_error', code: 'authentication_error', at: expect.stringMatching(/Z$/) },
  });
  expect(await lineOf(revoked, 'ERROR a run ended badly')).toContain('code=authentication_error');
  expect(await until(() => about('METRIC reason=provider_error RunsFailed=1')[0])).toBeDefined();
  expect(alarmsOn('RunsFailed', 'provider_error')).toEqual([
    expect.objectContaining({
      Statistic: 'Sum',
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    }),
  ]);
  const rows = await listed(httpClient({ httpUrl: world.stack.outputs.HttpUrl ?? '', token: world.token }), {
    most: 20,
    state: ['error'],
  });
  const [, line = ''] = tableOf(rows, (_style, text) => text, 200);
  expect(line).toMatch(new RegExp(`^${revoked} +provider_error .*a revoked key`));

  const busy = await world.start('a busy server');
  const broken = await world.start('a broken tool');
  await world.atRest(dead);
  expect(await lineOf(dead, 'INFO step', 'ending=ended')).toMatch(/attempt=[2-5]/);

  expect(await lineOf(busy, 'INFO step', 'failure=overloaded_error')).toMatch(/delayMs=\d+/);
  await world.atRest(busy);
  await world.atRest(broken);
  expect(await lineOf(broken, 'WARN a tool failed')).toContain('tool=break');

  const sqs = new SQSClient({
    region: 'us-east-1',
    endpoint: world.stack.endpoints.sqs,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const QueueUrl = world.stack.outputs.StepQueueUrl;
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'no wake' }));
  expect(await until(() => about('ERROR', 'a queue message cannot be read')[0])).toBeDefined();
  sqs.destroy();
});

/** The deployment's alarms on runs that end for a given reason. */
const alarmsOn = (metric: string, reason: string): unknown[] =>
  stacksIn(inject('assembly')).flatMap(({ template }) =>
    Object.values(template.Resources).flatMap(({ Type, Properties }) =>
      Type === 'AWS::CloudWatch::Alarm' &&
      Properties?.MetricName === metric &&
      JSON.stringify(Properties.Dimensions) === JSON.stringify([{ Name: 'reason', Value: reason }])
        ? [Properties]
        : [],
    ),
  );
